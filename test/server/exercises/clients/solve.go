// Solves mine-claim and swallow-ring with the starter client, and prints the status of each.
package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
)

type instance struct {
	Challenge string
	Policy    struct{ C1, C2 int }
	Elections map[string]string
}

// mined is a claim with the zero bits of the policy. The node ID is SHA-256(public key).
func mined(given instance) Object {
	challenge, err := hex.DecodeString(given.Challenge)
	check(err)
	var public ed25519.PublicKey
	var private ed25519.PrivateKey
	var nodeID []byte
	for {
		public, private, err = ed25519.GenerateKey(rand.Reader)
		check(err)
		nodeID = Sha256(public)
		if ZeroBits(Sha256(nodeID)) >= given.Policy.C1 {
			break
		}
	}
	claim := Object{"scheme": "ed25519", "solution": nil}
	solution := []byte{}
	if given.Policy.C2 > 0 {
		solution = make([]byte, 8)
		for count := uint64(1); ZeroBits(Sha256(challenge, nodeID, solution)) < given.Policy.C2; count++ {
			binary.BigEndian.PutUint64(solution, count)
		}
		claim["solution"] = hex.EncodeToString(solution)
	}
	claim["publicKey"] = hex.EncodeToString(public)
	claim["nodeId"] = hex.EncodeToString(nodeID)
	signature := Signed(private, challenge, nodeID, solution)
	if !IsSigned(public, signature, challenge, nodeID, solution) || IsSigned(public, signature, nodeID, challenge, solution) {
		panic("the signature is not verified")
	}
	claim["signature"] = hex.EncodeToString(signature)
	return claim
}

func submit(student Client, name string, answer Object) {
	graded := struct{ Status string }{}
	check(student.Submit(name, answer, &graded))
	fmt.Println(name, graded.Status)
}

func swallow(student Client) {
	given := instance{}
	check(student.Instance("swallow-ring", &given))
	ring := given.Elections["ring"]
	joined := struct {
		Token string
		Links struct{ Inbox, Outbox string }
	}{}
	check(student.Post(ring+"/nodes", Object{"claim": mined(given), "waitMs": 0}, &joined))
	node := student.Node(joined.Token)
	check(student.Post(ring+"/actions", Object{"type": "start"}, nil))
	check(student.Post(ring+"/actions", Object{"type": "advance", "until": "idle"}, nil))
	inbox := struct{ Events []struct{ Number int } }{}
	check(node.Get(joined.Links.Inbox, &inbox))
	through := inbox.Events[len(inbox.Events)-1].Number
	check(node.Post(joined.Links.Outbox, Object{"through": through, "effects": []any{}}, nil))
	submit(student, "swallow-ring", Object{"type": "elections"})
}

func main() {
	student := Connect(os.Args[1])
	given := instance{}
	check(student.Instance("mine-claim", &given))
	submit(student, "mine-claim", Object{"type": "claim", "claim": mined(given)})
	swallow(student)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
