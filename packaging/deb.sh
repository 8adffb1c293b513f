#!/bin/sh
# Makes bin/simdb_VERSION_ARCH.deb of the command and of bin/release, which make release-files
# makes: deb.sh VERSION ARCH. It needs Go and dpkg-deb.
set -eu
version=$1 arch=$2
cd "$(dirname "$0")/.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

GOOS=linux GOARCH=$arch CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$root/usr/bin/simdb" ./cmd/simdb
share=$root/usr/share
install -d "$root/DEBIAN" "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/vendor-completions" \
	"$share/fish/vendor_completions.d" "$share/doc/simdb"
for page in bin/release/man/*.1; do
	gzip -9n <"$page" >"$share/man/man1/$(basename "$page").gz"
done
install -m 644 bin/release/completions/simdb.bash "$share/bash-completion/completions/simdb"
install -m 644 bin/release/completions/_simdb "$share/zsh/vendor-completions/_simdb"
install -m 644 bin/release/completions/simdb.fish "$share/fish/vendor_completions.d/simdb.fish"
install -m 644 LICENSE "$share/doc/simdb/copyright"
install -m 644 CHANGELOG.md THIRD_PARTY_NOTICES.md "$share/doc/simdb/"
cp -r bin/release/licences "$share/doc/simdb/licences"
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
dpkg-deb --root-owner-group --build "$root" "bin/simdb_${version}_$arch.deb"
