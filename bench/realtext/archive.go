package main

// What is in a package: archives, and archives in them.

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"

	"github.com/ulikunitz/xz"
)

// eachFile yields the files of a package: a Debian package, a tarball, a zip or a wheel.
// What is in an archive in it has the name of that before its own.
func eachFile(file string, yield func(name string, r io.Reader) error) error {
	switch {
	case strings.HasSuffix(file, ".deb"):
		cmd := exec.Command("dpkg-deb", "--fsys-tarfile", file)
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		if err := eachInTar(out, "", yield); err != nil {
			cmd.Process.Kill()
			cmd.Wait()
			return err
		}
		return cmd.Wait()
	case strings.HasSuffix(file, ".zip") || strings.HasSuffix(file, ".whl"):
		return eachInZip(file, yield)
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	plain, unpacked, err := unpack(file, f)
	if err == nil && !strings.HasSuffix(plain, ".tar") {
		err = fmt.Errorf("no archive that is known")
	}
	if err != nil {
		return err
	}
	return eachInTar(unpacked, "", yield)
}

func eachInZip(file string, yield func(name string, r io.Reader) error) error {
	z, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return err
		}
		err = yield(f.Name, r)
		r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func eachInTar(r io.Reader, under string, yield func(name string, r io.Reader) error) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		name := path.Join(under, strings.TrimPrefix(h.Name, "./"))
		if err := oneOf(name, t, yield); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// oneOf yields a file of an archive, unpacked where it is packed. Some are packed wrongly, for
// tests: those are no texts.
func oneOf(name string, r io.Reader, yield func(name string, r io.Reader) error) error {
	plain, unpacked, err := unpack(name, r)
	switch {
	case plain == name:
		return yield(name, r)
	case strings.HasSuffix(plain, ".tar") && err == nil && !strings.Contains(name, "/test"):
		return eachInTar(unpacked, strings.TrimSuffix(plain, ".tar"), yield)
	case err != nil:
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(unpacked, mostText+1))
	if err != nil {
		return nil
	}
	return yield(plain, bytes.NewReader(b))
}

// unpack reads what is compressed, and names it as if it were not.
func unpack(name string, r io.Reader) (plain string, unpacked io.Reader, err error) {
	plain = strings.TrimSuffix(name, path.Ext(name))
	switch path.Ext(name) {
	case ".gz":
		unpacked, err = gzip.NewReader(r)
	case ".tgz":
		plain += ".tar"
		unpacked, err = gzip.NewReader(r)
	case ".xz":
		unpacked, err = xz.NewReader(r)
	case ".bz2":
		unpacked = bzip2.NewReader(r)
	default:
		return name, r, nil
	}
	return plain, unpacked, err
}
