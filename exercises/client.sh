# A starter client for exercises: transport, signing and verifying, and nothing else. It needs curl and openssl (1.1.1 or later).
#
#     SERVER=http://127.0.0.1:8787
#     . exercises/client.sh
#     instance predict-cost
#     submit predict-cost '{"type":"number","number":1234}'
#
# The token is read from the variable USURP_TOKEN; a server without tokens needs none. It is given to curl in a file, because
# other users of the machine see the arguments of a process.

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
if [ -n "${USURP_TOKEN:-}" ]; then
  (umask 077 && printf 'Authorization: Bearer %s\n' "$USURP_TOKEN" >"$WORK/headers")
else
  : >"$WORK/headers"
fi

# call METHOD PATH [BODY [NODE_TOKEN]]: prints the answer, and fails if the request was refused. It waits if the server asks it
# to, at most for a minute and five times.
call() {
  repeats=5
  while :; do
    status=$(curl -sS -o "$WORK/answer" -D "$WORK/answered" -w '%{http_code}' -X "$1" \
      -H "@$WORK/headers" -H 'Content-Type: application/json' \
      ${4:+-H "Node-Token: $4"} ${3:+--data-binary "$3"} "$SERVER$2") || return
    seconds=$(tr -d '\r' <"$WORK/answered" | sed -n 's/^[Rr]etry-[Aa]fter: //p')
    [ "$status" = 429 ] && [ "${seconds:-61}" -le 60 ] && [ "$repeats" -gt 0 ] || break
    sleep "$seconds"
    repeats=$((repeats - 1))
  done
  cat "$WORK/answer"
  [ "$status" -lt 400 ]
}
# Your instance of an exercise. It is the same at each call.
instance() { call POST "/v1/exercises/$1/instances"; }
submit() { call POST "/v1/exercises/$1/submissions" "$2"; }

# text NAME and number NAME: the first member of this name in the JSON on stdin.
text() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }
number() { grep -o "\"$1\":[0-9]*" | head -n 1 | cut -d : -f 2; }

hex() { od -An -v -tx1 | tr -d ' \n'; }
# from_hex: the bytes of the hex digits on stdin.
from_hex() { for byte in $(sed 's/../& /g'); do printf "\\$(printf %03o "0x$byte")"; done; }
# zero_bits HEX: number of zero bits at the beginning.
zero_bits() {
  zeros=${1%%[!0]*}
  case ${1#"$zeros"} in
    1*) more=3 ;;
    [23]*) more=2 ;;
    [4-7]*) more=1 ;;
    *) more=0 ;;
  esac
  echo $((4 * ${#zeros} + more))
}
sha256() { openssl dgst -sha256 -binary; }

# new_key: a new Ed25519 key in $WORK/key.pem, and its public key of 32 bytes in $WORK/public.
new_key() {
  openssl genpkey -algorithm ed25519 -out "$WORK/key.pem"
  openssl pkey -in "$WORK/key.pem" -pubout -outform DER | tail -c 32 >"$WORK/public"
}

# signed CHALLENGE NODE_ID SOLUTION: the signature with $WORK/key.pem that proves that the claimant owns the key. All are
# hex; SOLUTION may be empty.
signed() {
  { printf 'usurp/claim/v1\0'; printf '%s' "$1$2$3" | from_hex; } >"$WORK/message"
  openssl pkeyutl -sign -rawin -inkey "$WORK/key.pem" -in "$WORK/message" | hex
}

# is_signed PUBLIC_KEY SIGNATURE CHALLENGE NODE_ID SOLUTION: succeeds if the signature over the last three is one of the public key.
# All are hex; SOLUTION may be empty.
is_signed() {
  printf '302a300506032b6570032100%s' "$1" | from_hex >"$WORK/verified-key"
  printf '%s' "$2" | from_hex >"$WORK/signature"
  { printf 'usurp/claim/v1\0'; printf '%s' "$3$4$5" | from_hex; } >"$WORK/message"
  openssl pkeyutl -verify -rawin -pubin -keyform DER -inkey "$WORK/verified-key" \
    -sigfile "$WORK/signature" -in "$WORK/message" >/dev/null 2>&1
}
