// Judges the history of a register in a file with porcupine, and prints the seconds that this took.
package main

import (
	"bufio"
	"fmt"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

type input struct {
	kind            string
	expected, value int
}

type output struct {
	done  int
	value int
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	var history []porcupine.Operation
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var operation porcupine.Operation
		var in input
		var out output
		_, err := fmt.Sscan(lines.Text(), &operation.ClientId, &operation.Call, &operation.Return,
			&in.kind, &in.expected, &in.value, &out.done, &out.value)
		if err != nil {
			panic(err)
		}
		operation.Input, operation.Output = in, out
		history = append(history, operation)
	}
	register := porcupine.Model{
		Init: func() interface{} { return 0 },
		Step: func(state, in, out interface{}) (bool, interface{}) {
			content, asked, answer := state.(int), in.(input), out.(output)
			switch {
			case asked.kind == "read":
				return answer.value == content, content
			case asked.kind == "write":
				return true, asked.value
			case answer.done == 1:
				return content == asked.expected, asked.value
			default:
				return content != asked.expected, content
			}
		},
	}
	started := time.Now()
	if !porcupine.CheckOperations(register, history) {
		panic("the history is not linearizable")
	}
	fmt.Println(time.Since(started).Seconds())
}
