#!/bin/sh
# A student's node in sh, with curl and openssl: arguments and output as student.js has them.
set -eu

server=$1 name=$2 part=$3 other=$4
read -r code
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

hex() { od -An -v -tx1 | tr -d ' \n'; }
sha256() { openssl dgst -sha256 -binary; }
# text NAME: the first member of this name in the JSON on stdin.
text() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

# ask METHOD PATH [BODY]: prints the status and the answer. The secrets are in a file, not in the list of processes.
ask() {
  printf '%s' "${3:-}" >"$work/body"
  if [ -n "${3:-}" ]; then set -- "$1" "$2" --data-binary "@$work/body"; else set -- "$1" "$2"; fi
  method=$1 path=$2
  shift 2
  curl -sS -X "$method" -H @"$work/headers" -w '\n%{http_code}' "$@" "$server$path" >"$work/answer"
  status=$(tail -n 1 "$work/answer")
  sed '$d' "$work/answer"
}
must() {
  ask "$@" >"$work/out"
  [ "$status" -lt 300 ] || { cat "$work/out" >&2; exit 1; }
  cat "$work/out"
}

openssl genpkey -algorithm ed25519 -out "$work/key.pem"
openssl pkey -in "$work/key.pem" -pubout -outform DER | tail -c 32 >"$work/public"
sha256 <"$work/public" >"$work/id"
id=$(hex <"$work/id")
{
  printf 'usurp/claim/v1\0'
  printf 'usurp/challenge/v1\0\0\0\0\0\0\0\0\0usurp' | sha256
  cat "$work/id"
} >"$work/possession"
proof=$(openssl pkeyutl -sign -rawin -inkey "$work/key.pem" -in "$work/possession" | hex)
public=$(hex <"$work/public")
claim="{\"scheme\":\"ed25519\",\"publicKey\":\"$public\",\"nodeId\":\"$id\",\"solution\":null,\"signature\":\"$proof\"}"

echo 'Content-Type: application/json' >"$work/headers"
signIn="{\"type\":\"joinCode\",\"code\":\"$code\",\"name\":\"$name\"}"
must POST /v1/sessions "$signIn" >"$work/session"
token=$(text token <"$work/session")
election=$(text election <"$work/session")
echo "Authorization: Bearer $token" >>"$work/headers"
waitMs=2000
[ "$part" = honest ] || waitMs=0
joining="{\"claim\":$claim,\"waitMs\":$waitMs}"
must POST "$election/nodes" "$joining" >"$work/node"
nodeToken=$(text token <"$work/node")
echo "Node-Token: $nodeToken" >>"$work/headers"
inbox="$election/nodes/$id/inbox"
outbox="$election/nodes/$id/outbox"
echo "secrets $token $nodeToken $id"

if [ "$part" = honest ]; then
  after=0
  while :; do
    must GET "$inbox?after=$after&waitMs=1000" >"$work/inbox"
    last=$(grep -o '"number":[0-9]*,"at"' "$work/inbox" | tail -n 1 | tr -dc 0-9 || true)
    if [ -z "$last" ]; then
      if grep -q '"status":"idle"' "$work/inbox"; then exit 0; fi
      continue
    fi
    after=$last
    leader=$(grep -o '"leader":[0-9]*' "$work/inbox" | tail -n 1 | tr -dc 0-9 || true)
    effects=
    [ -z "$leader" ] || effects="{\"type\":\"elect\",\"leader\":$leader,\"epoch\":0}"
    must POST "$outbox" "{\"through\":$after,\"effects\":[$effects]}" >"$work/done"
  done
fi

while must GET "$inbox?waitMs=500" | grep -q '"status":"created"'; do :; done
must GET "$election/nodes?pageSize=100" | tr '{' '\n' >"$work/nodes"
victim=$(grep '"player":"outside"' "$work/nodes" | grep -v "$id" | head -n 1)
theirId=$(echo "$victim" | text nodeId)
theirRank=$(echo "$victim" | grep -o '"rank":[0-9]*' | tr -dc 0-9)
rank=$(grep "$id" "$work/nodes" | grep -o '"rank":[0-9]*' | tr -dc 0-9)
theirs="$election/nodes/$theirId"
absent="$election/nodes/abababababababababababababababababababababababababababababababab"
lie="{\"effects\":[{\"type\":\"elect\",\"leader\":$rank,\"epoch\":0}]}"
message="{\"type\":\"COORDINATOR\",\"leader\":$rank}"

report() {
  what=$1
  shift
  ask "$@" >"$work/out"
  printf '%s %s ' "$what" "$status"
  tr '\n' ' ' <"$work/out"
  echo
}
report inbox GET "$theirs/inbox"
report absent-inbox GET "$absent/inbox"
report outbox POST "$theirs/outbox" "$lie"
report absent-outbox POST "$absent/outbox" "$lie"
report forge POST "$election/actions" \
  "{\"type\":\"inject\",\"from\":$theirRank,\"to\":\"all\",\"message\":$message}"
for what in trace messages participants access; do report $what GET "$election/$what"; done
report fork POST "$election/fork" '{}'
report events GET "$election/events"
report replay POST "$election/nodes" "$joining"
report replay-code POST /v1/sessions "$signIn"
report private GET "$other"
report missing GET /v1/elections/e_aaaaaaaaaaaaaaaa
report lie POST "$outbox" "$lie"
count=0
while [ $count -lt 20 ]; do
  ask GET "$election" >"$work/out"
  count=$((count + 1))
done
