package main

// The list of packages, and how each is downloaded once.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// source is a package of a registry.
type source struct {
	registry, name, version string
	sum                     string // of the file, SHA-256
}

func readSources(file string) (all []source, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(b), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 || clients[f[0]] == nil {
			return nil, fmt.Errorf("%s:%d: want a registry (deb, go, npm, pypi), name, version and sum, with tabs between them", file, i+1)
		}
		all = append(all, source{f[0], f[1], f[2], f[3]})
	}
	return all, nil
}

// clients have the command of each registry that downloads a package into the folder that
// it runs in.
var clients = map[string]func(name, version string) []string{
	"deb": func(name, version string) []string {
		return []string{"apt-get", "-q", "download", at(name, "=", version)}
	},
	"go": func(name, version string) []string {
		return []string{"go", "mod", "download", "-json", at(name, "@", version)}
	},
	"npm": func(name, version string) []string {
		return []string{"npm", "pack", "--silent", at(name, "@", version)}
	},
	"pypi": func(name, version string) []string {
		return []string{"python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", at(name, "==", version)}
	},
}

func at(name, sign, version string) string {
	if version == "" {
		return name
	}
	return name + sign + version
}

// fetch returns the file of a package, which it downloads if it is not there yet.
func (s *source) fetch(ctx context.Context, keep string, newer bool) (file string, err error) {
	folder := filepath.Join(keep, s.registry+"-"+strings.ReplaceAll(s.name, "/", "_")+"-"+s.version)
	if file, err = only(folder); err != nil || file == "" {
		part := folder + ".part" // of a download that was ended, it is begun anew
		if err := errors.Join(os.RemoveAll(part), os.MkdirAll(part, 0o755)); err != nil {
			return "", err
		}
		err = s.download(ctx, part, s.version)
		if err != nil && newer {
			err = s.download(ctx, part, "")
		}
		if err == nil {
			err = errors.Join(os.RemoveAll(folder), os.Rename(part, folder))
		}
		if err == nil {
			file, err = only(folder)
		}
		if err != nil {
			return "", err
		}
	}
	sum, err := sumOf(file)
	if err != nil {
		return "", err
	}
	if sum != s.sum && !newer {
		return "", fmt.Errorf("%s has the sum %s, not %s; -newer takes it all the same", file, sum, s.sum)
	}
	return file, nil
}

func (s *source) download(ctx context.Context, folder, version string) error {
	args := clients[s.registry](s.name, version)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = folder
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if s.registry == "go" {
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(append(errs.Bytes(), out.Bytes()...)))
	}
	if s.registry != "go" {
		return nil
	}
	var module struct{ Zip string }
	if err := json.Unmarshal(out.Bytes(), &module); err != nil {
		return err
	}
	zip, err := os.ReadFile(module.Zip)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, filepath.Base(module.Zip)), zip, 0o644)
}

// only is the one file of a folder, "" if there is none.
func only(folder string) (string, error) {
	all, err := os.ReadDir(folder)
	if os.IsNotExist(err) || err == nil && len(all) == 0 {
		return "", nil
	}
	if err == nil && len(all) > 1 {
		err = fmt.Errorf("%s has %d files, want one: remove it to download it again", folder, len(all))
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, all[0].Name()), nil
}

func sumOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
