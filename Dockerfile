# An image that holds the command and nothing else, run by a user without rights. make image builds
# the command, from the modules that the Go proxy serves, and then this:
#
#   docker run --rm -v "$PWD:/data" simdb import my.simdb docs/
#   docker run -p 8474:8474 -v "$PWD:/data" simdb serve --addr :8474 --token-file token.txt my.simdb
FROM scratch
COPY LICENSE THIRD_PARTY_NOTICES.md bin/image/simdb /
COPY --chown=65532:65532 bin/image/data /data
USER 65532:65532
WORKDIR /data
EXPOSE 8474
HEALTHCHECK --interval=30s --timeout=5s CMD ["/simdb", "serve", "--probe", "--addr", ":8474"]
ENTRYPOINT ["/simdb"]
