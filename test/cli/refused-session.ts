/**
 * @module
 * A program: tries to load files of the user one after the other, each as at the start of a process. Standard input is JSON,
 * a list of paths. It prints why each is refused as JSON, null if it is not.
 */

import process from 'node:process';
import { json } from 'node:stream/consumers';

import { LabError } from '../../src/errors.ts';
import { loadDefinitions } from '../../src/runtime/load/load-definitions.ts';

// The test that starts this program writes its input.
const files = (await json(process.stdin)) as readonly string[];
const refusals: (string | null)[] = [];
for (const file of files) {
  const refusal = await loadDefinitions([file]).then(
    () => null,
    (error: unknown) => {
      if (error instanceof LabError && error.code === 'arguments') return error.message;
      throw error;
    },
  );
  refusals.push(refusal);
}
process.stdout.write(JSON.stringify(refusals));
