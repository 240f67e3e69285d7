/**
 * @module
 * A server with a class for the pictures of docs/exercises.md: some students have joined, some have solved exercises, and
 * the instructor has decided about one.
 */

import { startLab } from '../../server/lab.ts';
import { parseClass } from '../../src/exercise/reading.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { readExercises } from '../../src/runtime/files/exercises.ts';

const CLASS = `name: Distributed systems
instructors: [eve]
students:
  - { name: ann, groups: [tuesday] }
  - { name: bob, groups: [tuesday] }
  - { name: cem, groups: [thursday] }
  - { name: dan, groups: [thursday] }
exercises:
  - { name: predict-cost, deadline: 2126-10-15T23:59 }
  - { name: worst-ring, deadline: 2126-10-22T23:59 }
  - { name: count-messages, deadline: 2126-10-29T23:59 }
`;

/** What a student does: the submissions of numbers to predict-cost; null is the right one. */
const WORK: readonly (readonly [string, readonly (number | null)[]])[] = [
  ['ann', [1000, null]],
  ['bob', [2, 3]],
  ['cem', [null]],
];

const DECISIONS = [
  { type: 'grade', student: 'bob', exercise: 'predict-cost', points: 8, comment: 'Right method.' },
  { type: 'extension', student: 'bob', exercise: 'worst-ring', deadline: '2126-10-29T23:59' },
] as const;

/** Starts the server. `token` is that of the instructor. */
export async function startClassLab() {
  const exercises = await readExercises();
  const codes = new Map<string, string>();
  const lab = await startLab(
    {
      ...{ host: '127.0.0.1', port: 0, version: '0', policy: STRICT_POLICY, data: null },
      courseSecret: new Uint8Array(32).fill(1),
      class: {
        document: parseClass(CLASS, 'class.yaml', exercises),
        deliver: async (issued) => {
          for (const { name, code } of issued) codes.set(name, code);
        },
      },
    },
    ({ error }) => console.error(error),
  );
  const post = async (path: string, body: object, token?: string) => {
    const response = await fetch(`${lab.url}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    // By the contract.
    return (await response.json()) as Posted;
  };
  const join = async (name: string) => {
    const { token } = await post('/v1/sessions', { type: 'classCode', code: codes.get(name) });
    return token;
  };
  for (const [name, numbers] of WORK) {
    const token = await join(name);
    const path = '/v1/exercises/predict-cost';
    const { given } = await post(`${path}/instances`, {}, token);
    const right = given.identities * (2 ** given.c1 + 2 ** given.c2);
    for (const number of numbers) {
      await post(`${path}/submissions`, { type: 'number', number: number ?? right }, token);
    }
  }
  const token = await join('eve');
  for (const decision of DECISIONS) await post('/v1/class/decisions', decision, token);
  return { lab, token };
}

interface Posted {
  readonly token: string;
  readonly given: Readonly<Record<'c1' | 'c2' | 'identities', number>>;
}
