#!/bin/sh
# A whole attack on a leader election, against a running `usurp serve`:
#
#     sh examples/attack.sh http://127.0.0.1:8787
#
# It earns an identity above all honest ones, joins with it and announces itself in signed messages: the honest
# nodes obey. Then it tries the same on an election whose identities cost more, and fails. Needs curl,
# openssl (1.1.1 or later) and the usual tools; JSON is cut up with sed, since the answers are flat enough.
set -eu

SERVER=${1:?usage: attack.sh URL}
SERVER=${SERVER%/}
CHEAP_BITS=2
DEAR_BITS=16
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

hex() { od -An -v -tx1 | tr -d ' \n'; }
sha256() { openssl dgst -sha256 -binary; }
# text MEMBER and number MEMBER: the first such member of the JSON on stdin.
text() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }
number() { grep -o "\"$1\":[0-9]*" | head -n 1 | cut -d : -f 2; }

get() { curl -sS --fail-with-body "$SERVER$1"; }
# post PATH BODY [HEADER]: prints the answer; fails where it is a refusal.
post() {
  curl -sS --fail-with-body -H 'Content-Type: application/json' ${3:+-H "$3"} --data-binary "$2" "$SERVER$1"
}

# signed: the Ed25519 signature of stdin, in hex. openssl wants a file that it can measure.
signed() {
  cat >"$WORK/message"
  openssl pkeyutl -sign -rawin -inkey "$WORK/key.pem" -in "$WORK/message" | hex
}

# The signature of a message text: over "usurp/message/v1", a zero byte and the text as a JSON string.
signature_of() {
  { printf 'usurp/message/v1\0"'; printf '%s' "$1" | sed 's/"/\\"/g'; printf '"'; } | signed
}

# mine ABOVE: makes keys until the hash of one is above and its own hash begins with CHEAP_BITS zero bits, so
# with a hex digit below 4.
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

# Proof of possession: over the network's challenge and the node ID (no dynamic puzzle, so no X).
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

# announce ME: COORDINATOR to everybody else, as Bully sends it, with the signatures that level L3 asks for.
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

# leader: whom all live nodes follow when everything has come to rest, as JSON.
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
me=$(printf '%s' "$member" | number rank)
echo "joined with rank $me of 6"
post "$election/actions" '{"type":"start"}' >"$WORK/out"
announce "$me"
post "$(printf '%s' "$member" | text outbox)" \
  "{\"effects\":[{\"type\":\"elect\",\"leader\":$me,\"epoch\":0}]}" \
  "Node-Token: $(printf '%s' "$member" | text token)" >"$WORK/out"
case $(leader) in
  *"$nodeId"*) echo 'won: the honest nodes follow the mined identity' ;;
  *) echo 'failed where it should win' >&2; exit 1 ;;
esac

# 2. Identities are dear: the same claim is not let in, and lies about an honest node are not believed.
answer=$(create $DEAR_BITS)
election=$(printf '%s' "$answer" | text self)
name=$(printf '%s' "$answer" | text name)
if refusal=$(post "$election/nodes" "{\"claim\":$cheap}" 2>"$WORK/refused"); then
  echo 'the cheap identity was let in' >&2
  exit 1
fi
echo "refused ($(printf '%s' "$refusal" | text code)): $(printf '%s' "$refusal" | text detail)"
post "$election/actions" '{"type":"start"}' >"$WORK/out"
announce 4
case $(leader) in
  *'"rank":5,'*) echo 'failed: the honest nodes elected the highest of their own' ;;
  *) echo 'won where it should fail' >&2; exit 1 ;;
esac
