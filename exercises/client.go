// A starter client for exercises: transport, signing and verifying, and nothing else. It needs Go 1.19 and its standard library.
//
//	package main // my-solution.go
//
//	import (
//		"fmt"
//		"os"
//	)
//
//	func main() {
//		student := Connect(os.Args[1])
//		var instance struct{ Given struct{ Identities, C1, C2 int } }
//		if err := student.Instance("predict-cost", &instance); err != nil {
//			panic(err)
//		}
//		var graded Object
//		if err := student.Submit("predict-cost", Object{"type": "number", "number": 1234}, &graded); err != nil {
//			panic(err)
//		}
//		fmt.Println(instance.Given, graded["status"], graded["findings"])
//	}
//
// Go needs both files in one folder. The token is read from the variable USURP_TOKEN; a server without tokens needs none:
//
//	cp exercises/client.go .
//	go run client.go my-solution.go http://127.0.0.1:8787
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"net/http"
	"os"
	"strconv"
	"time"
)

// Object is a JSON object.
type Object = map[string]any

// Client calls a server as one student.
type Client struct {
	Server  string
	Headers map[string]string
}

// Connect makes a client with the token of the environment.
func Connect(server string) Client {
	headers := map[string]string{"Content-Type": "application/json"}
	if token := os.Getenv("USURP_TOKEN"); token != "" {
		headers["Authorization"] = "Bearer " + token
	}
	return Client{server, headers}
}

// Call sends a request and decodes the answer into result, unless it is nil. A refusal of the server is an error with
// its code and its detail. It waits if the server asks it to, at most for a minute and five times.
func (client Client) Call(method, path string, body, result any) error {
	return client.call(method, path, body, result, 5)
}

func (client Client) call(method, path string, body, result any, repeats int) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, client.Server+path, content)
	if err != nil {
		return err
	}
	for name, value := range client.Headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err == nil && response.StatusCode == 429 && seconds <= 60 && repeats > 0 {
		time.Sleep(time.Duration(seconds) * time.Second)
		return client.call(method, path, body, result, repeats-1)
	}
	if response.StatusCode >= 400 {
		problem := struct{ Code, Detail string }{}
		if err := json.NewDecoder(response.Body).Decode(&problem); err != nil {
			return fmt.Errorf("status %d", response.StatusCode)
		}
		return fmt.Errorf("%s: %s", problem.Code, problem.Detail)
	}
	if result == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(result)
}

// Get reads a path.
func (client Client) Get(path string, result any) error {
	return client.Call("GET", path, nil, result)
}

// Post sends a body, which may be nil.
func (client Client) Post(path string, body, result any) error {
	return client.Call("POST", path, body, result)
}

// Remove deletes what is at a path.
func (client Client) Remove(path string) error {
	return client.Call("DELETE", path, nil, nil)
}

// Instance reads your instance of an exercise. It is the same at each call.
func (client Client) Instance(name string, result any) error {
	return client.Post("/v1/exercises/"+name+"/instances", nil, result)
}

// Submit sends an answer to be graded.
func (client Client) Submit(name string, submission, result any) error {
	return client.Post("/v1/exercises/"+name+"/submissions", submission, result)
}

// Node calls in the name of a node that you play. The answer to your join has its token.
func (client Client) Node(token string) Client {
	headers := map[string]string{"Node-Token": token}
	for name, value := range client.Headers {
		headers[name] = value
	}
	return Client{client.Server, headers}
}

// Sha256 is the hash of the parts one after the other.
func Sha256(parts ...[]byte) []byte {
	digest := sha256.Sum256(bytes.Join(parts, nil))
	return digest[:]
}

// ZeroBits is the number of zero bits at the beginning.
func ZeroBits(digest []byte) int {
	for index, value := range digest {
		if value != 0 {
			return 8*index + bits.LeadingZeros8(value)
		}
	}
	return 8 * len(digest)
}

// Signed is the signature that proves that the claimant owns the key: of challenge, node ID and solution.
func Signed(key ed25519.PrivateKey, challenge, nodeID, solution []byte) []byte {
	text := bytes.Join([][]byte{[]byte("usurp/claim/v1\x00"), challenge, nodeID, solution}, nil)
	return ed25519.Sign(key, text)
}

// IsSigned reports whether a signature over these parts is one of the public key of 32 bytes.
func IsSigned(key ed25519.PublicKey, signature, challenge, nodeID, solution []byte) bool {
	text := bytes.Join([][]byte{[]byte("usurp/claim/v1\x00"), challenge, nodeID, solution}, nil)
	return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, text, signature)
}
