#!/bin/sh
# Solves verify-claim and swallow-ring with the starter client, and prints the status of each.
set -eu
SERVER=$1
. exercises/client.sh

# found CLAIM: the first check that the claim fails, and the measured bits.
found() {
  key=$(printf '%s' "$1" | text publicKey)
  id=$(printf '%s' "$1" | text nodeId)
  solution=$(printf '%s' "$1" | text solution)
  [ "$(printf '%s' "$key" | from_hex | sha256 | hex)" = "$id" ] || { echo '"nodeId" null'; return; }
  bits=$(zero_bits "$(printf '%s' "$id" | from_hex | sha256 | hex)")
  [ "$bits" -ge "$c1" ] || { echo "\"static\" $bits"; return; }
  bits=$(zero_bits "$(printf '%s' "$challenge$id$solution" | from_hex | sha256 | hex)")
  [ "$bits" -ge "$c2" ] || { echo "\"dynamic\" $bits"; return; }
  if is_signed "$key" "$(printf '%s' "$1" | text signature)" "$challenge" "$id" "$solution"; then
    echo '"none" null'
  else
    echo '"signature" null'
  fi
}

given=$(instance verify-claim)
c1=$(printf '%s' "$given" | number c1)
c2=$(printf '%s' "$given" | number c2)
challenge=$(printf '%s' "$given" | text challenge)
checks=
for claim in $(printf '%s' "$given" | grep -o '{"label":[^}]*}'); do
  set -- $(found "$claim")
  label=$(printf '%s' "$claim" | text label)
  checks="$checks${checks:+,}{\"claim\":\"$label\",\"check\":$1,\"measuredBits\":$2}"
done
echo verify-claim "$(submit verify-claim "{\"type\":\"checks\",\"checks\":[$checks]}" | text status)"

given=$(instance swallow-ring)
c1=$(printf '%s' "$given" | number c1)
challenge=$(printf '%s' "$given" | text challenge)
ring=$(printf '%s' "$given" | text ring)
bits=-1
while [ "$bits" -lt "$c1" ]; do
  new_key
  id=$(sha256 <"$WORK/public" | hex)
  bits=$(zero_bits "$(printf '%s' "$id" | from_hex | sha256 | hex)")
done
proof=$(signed "$challenge" "$id" "")
claim="{\"scheme\":\"ed25519\",\"publicKey\":\"$(hex <"$WORK/public")\",\"nodeId\":\"$id\",\"solution\":null,\"signature\":\"$proof\"}"
joined=$(call POST "$ring/nodes" "{\"claim\":$claim,\"waitMs\":0}")
token=$(printf '%s' "$joined" | text token)
call POST "$ring/actions" '{"type":"start"}' >"$WORK/out"
call POST "$ring/actions" '{"type":"advance","until":"idle"}' >"$WORK/out"
inbox=$(call GET "$(printf '%s' "$joined" | text inbox)" "" "$token")
through=$(printf '%s' "$inbox" | grep -o '"number":[0-9]*' | tail -n 1 | cut -d : -f 2)
call POST "$(printf '%s' "$joined" | text outbox)" "{\"through\":$through,\"effects\":[]}" "$token" >"$WORK/out"
echo swallow-ring "$(submit swallow-ring '{"type":"elections"}' | text status)"
