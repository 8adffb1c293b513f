#!/usr/bin/env bash
# The stages of simdb scale as Indexed Jobs of Kubernetes, one after another.
#
#	./kubernetes.sh IMAGE CLAIM work 64
#
# IMAGE holds the command simdb; CLAIM is a ReadWriteMany volume claim with the inputs and
# the directory work, which simdb scale plan has made where the volume is at /shared. With
# MEM=9Gi a task may take that much, for a plan with more --memory. With DRY=1 the manifests are printed and nothing is applied.
set -euo pipefail
image=$1 claim=$2 work=$3 shares=${4:-16}
for stage in analyse order deal join clusters; do
	n=$shares
	case $stage in clusters) n=1 ;; esac
	manifest=$(
		cat <<MANIFEST
---
apiVersion: batch/v1
kind: Job
metadata:
  name: simdb-$stage
spec:
  completionMode: Indexed
  completions: $n
  parallelism: $n
  backoffLimitPerIndex: 5
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: simdb
          image: $image
          command: ["sh", "-c"]
          args: ["exec simdb scale $stage --task \$((JOB_COMPLETION_INDEX + 1))/$n /shared/$work"]
          resources:
            requests: {cpu: "1", memory: ${MEM:-1500Mi}}
            limits: {memory: ${MEM:-2Gi}}
          volumeMounts:
            - {name: shared, mountPath: /shared}
      volumes:
        - name: shared
          persistentVolumeClaim: {claimName: $claim}
MANIFEST
	)
	if [ -n "${DRY:-}" ]; then
		echo "$manifest"
		continue
	fi
	kubectl apply -f - <<<"$manifest"
	kubectl wait --for=condition=complete --timeout=-1s "job/simdb-$stage"
done
