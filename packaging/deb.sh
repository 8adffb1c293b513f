#!/bin/sh
# Makes bin/simdb_VERSION_ARCH.deb of the command and of bin/release, which make release-files
# makes: deb.sh VERSION ARCH. It needs Go and dpkg-deb.
set -eu
version=$(printf %s "$1" | tr -- - '~') arch=$2 # 1.0.0~rc.1 comes before 1.0.0
cd "$(dirname "$0")/.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

GOOS=linux GOARCH=$arch CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$root/usr/bin/simdb" ./cmd/simdb
share=$root/usr/share
doc=$share/doc/simdb
install -d "$root/DEBIAN" "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/vendor-completions" \
	"$share/fish/vendor_completions.d" "$share/lintian/overrides" "$doc"
install -m 644 bin/release/man/*.1 "$share/man/man1/"
install -m 644 bin/release/completions/simdb.bash "$share/bash-completion/completions/simdb"
install -m 644 bin/release/completions/_simdb "$share/zsh/vendor-completions/_simdb"
install -m 644 bin/release/completions/simdb.fish "$share/fish/vendor_completions.d/simdb.fish"
install -m 644 CHANGELOG.md THIRD_PARTY_NOTICES.md "$doc/"
cp -r bin/release/licences "$doc/licences"
cat >"$doc/copyright" <<COPYRIGHT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Source: https://github.com/simdb/simdb

Files: *
Copyright: 2026 The simdb authors
License: Apache-2.0
 The full text is in /usr/share/common-licenses/Apache-2.0. What is linked
 has its own licences: THIRD_PARTY_NOTICES.md and licences, beside this file.
COPYRIGHT
cat >"$doc/changelog" <<CHANGELOG
simdb ($version) unstable; urgency=medium

  * CHANGELOG.md, beside this file, says what is new.

 -- The simdb authors <>  $(git log -1 --format=%cD)
CHANGELOG
gzip -9n "$share/man/man1/"* "$doc/changelog"
echo 'simdb: statically-linked-binary' >"$share/lintian/overrides/simdb" # as Go links
chmod -R u=rwX,go=rX "$root"
cat >"$root/DEBIAN/control" <<CONTROL
Package: simdb
Version: $version
Architecture: $arch
Section: database
Priority: optional
Maintainer: The simdb authors
Homepage: https://github.com/simdb/simdb
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Description: embedded exact similarity database
 Stores texts and answers exactly which of them are similar: near-duplicates,
 versions of one text, copied passages.
CONTROL
dpkg-deb --root-owner-group --build "$root" "bin/simdb_$1_$arch.deb"
