#!/bin/sh
# A complete attack on a leader election. It needs a running `usurp serve`:
#
#     sh examples/attack.sh http://127.0.0.1:8787
#
# The attack mines an identity above all honest ones, joins with it and announces itself in signed messages, and
# the honest nodes follow it. Then it attacks an election whose identities cost more, and fails. It needs curl and
# openssl (1.1.1 or later). grep and cut read the JSON, because the answers are flat enough.
set -eu

SERVER=${1:?usage: attack.sh URL}
SERVER=${SERVER%/}
CHEAP_BITS=2
EXPENSIVE_BITS=16
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

hex() { od -An -v -tx1 | tr -d ' \n'; }
sha256() { openssl dgst -sha256 -binary; }
# text NAME and number NAME: the first member of this name in the JSON on stdin.
text() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }
number() { grep -o "\"$1\":[0-9]*" | head -n 1 | cut -d : -f 2; }

# request ARGUMENTS: prints the answer, and fails if the request was refused. After a 429, curl waits for Retry-After.
request() {
  status=0
  curl -sS --retry 5 --fail-with-body -o "$WORK/answer" "$@" || status=$?
  cat "$WORK/answer"
  return $status
}
# get PATH [HEADER]
get() { request ${2:+-H "$2"} "$SERVER$1"; }
# post PATH BODY [HEADER]
post() { request -H 'Content-Type: application/json' ${3:+-H "$3"} --data-binary "$2" "$SERVER$1"; }

# signed: the Ed25519 signature of stdin, in hex. openssl needs a file with a known size.
signed() {
  cat >"$WORK/message"
  openssl pkeyutl -sign -rawin -inkey "$WORK/key.pem" -in "$WORK/message" | hex
}

# signature_of TEXT: the signature of "usurp/message/v1", a zero byte and the text as a JSON string.
signature_of() {
  { printf 'usurp/message/v1\0"'; printf '%s' "$1" | sed 's/"/\\"/g'; printf '"'; } | signed
}

# mine ABOVE: makes keys until a node ID is above ABOVE and its hash begins with two zero bits (CHEAP_BITS): its
# first hex digit is then below 4.
mine() {
  keys=0
  while :; do
    keys=$((keys + 1))
    openssl genpkey -algorithm ed25519 -out "$WORK/key.pem"
    openssl pkey -in "$WORK/key.pem" -pubout -outform DER | tail -c 32 >"$WORK/public"
    sha256 <"$WORK/public" >"$WORK/id"
    nodeId=$(hex <"$WORK/id")
    highest=$(printf '%s\n%s\n' "$1" "$nodeId" | LC_ALL=C sort | tail -n 1)
    [ "$highest" = "$nodeId" ] || continue
    case $(sha256 <"$WORK/id" | hex) in
      [0-3]*) return ;;
    esac
  done
}

# claim: signs the challenge of the network and the node ID. Without a dynamic puzzle there is no X.
claim() {
  challenge="$WORK/challenge"
  printf 'usurp/challenge/v1\0\0\0\0\0\0\0\0\0usurp' | sha256 >"$challenge"
  proof=$({ printf 'usurp/claim/v1\0'; cat "$challenge" "$WORK/id"; } | signed)
  printf '{"scheme":"ed25519","publicKey":"%s","nodeId":"%s","solution":null,"signature":"%s"}' \
    "$(hex <"$WORK/public")" "$nodeId" "$proof"
}

create() {
  post /v1/elections \
    "{\"protocol\":\"bully-oneshot\",\"nodes\":5,\"level\":\"L3\",\"policy\":{\"c1\":$1},\"seed\":\"7\"}"
}

# announce ME: sends the COORDINATOR message of Bully to all other nodes, with the signatures of level L3.
announce() {
  candidacy=$(signature_of "[\"usurp/candidacy/v1\",\"bully-oneshot\",$1,\"$name\"]")
  for to in $(get "$election/nodes" | grep -o '"rank":[0-9]*' | cut -d : -f 2); do
    [ "$to" != "$1" ] || continue
    body="{\"leader\":$1,\"type\":\"COORDINATOR\"}"
    signature=$(signature_of "[\"usurp/election/v1\",\"bully-oneshot\",$1,$to,\"$name\",1,$body]")
    seal="{\"by\":$1,\"number\":1,\"signature\":\"$signature\",\"candidacies\":{\"$1\":\"$candidacy\"}}"
    message="{\"leader\":$1,\"type\":\"COORDINATOR\",\"seal\":$seal}"
    post "$election/actions" "{\"type\":\"inject\",\"from\":$1,\"to\":$to,\"message\":$message}" >"$WORK/out"
  done
}

# leader: runs the election to its end and prints the leader that all live nodes follow, as JSON.
leader() {
  post "$election/actions" '{"type":"advance","until":"idle"}' | grep -o '"leader":{[^}]*}' | head -n 1
}

# 1. Identities are cheap.
answer=$(create $CHEAP_BITS)
election=$(printf '%s' "$answer" | text self)
name=$(printf '%s' "$answer" | text name)
top=$(get "$election/nodes" | grep -o '"nodeId":"[0-9a-f]*"' | cut -d '"' -f 4 | LC_ALL=C sort | tail -n 1)
mine "$top"
echo "mined $(echo "$nodeId" | cut -c 1-16)… above $(echo "$top" | cut -c 1-16)…: $keys keys"
cheap=$(claim)
member=$(post "$election/nodes" "{\"claim\":$cheap,\"waitMs\":0}")
echo "joined with rank $(printf '%s' "$member" | number rank) of 6"
post "$election/actions" '{"type":"start"}' >"$WORK/out"
token="Node-Token: $(printf '%s' "$member" | text token)"
# Until the start, the rank changes when another node joins.
me=$(get "$(printf '%s' "$member" | text inbox)" "$token" | number rank)
announce "$me"
post "$(printf '%s' "$member" | text outbox)" \
  "{\"effects\":[{\"type\":\"elect\",\"leader\":$me,\"epoch\":0}]}" \
  "$token" >"$WORK/out"
case $(leader) in
  *"$nodeId"*) echo 'won: the honest nodes follow the mined identity' ;;
  *) echo 'failed but should win' >&2; exit 1 ;;
esac

# 2. Identities are expensive: the same claim is refused, and false messages in the name of a node are ignored.
answer=$(create $EXPENSIVE_BITS)
election=$(printf '%s' "$answer" | text self)
name=$(printf '%s' "$answer" | text name)
if refusal=$(post "$election/nodes" "{\"claim\":$cheap}" 2>"$WORK/refused"); then
  echo 'the cheap identity was admitted' >&2
  exit 1
fi
echo "refused ($(printf '%s' "$refusal" | text code)): $(printf '%s' "$refusal" | text detail)"
post "$election/actions" '{"type":"start"}' >"$WORK/out"
announce 4
case $(leader) in
  *'"rank":5,'*) echo 'failed: the honest nodes elected the highest of their own' ;;
  *) echo 'won but should fail' >&2; exit 1 ;;
esac
