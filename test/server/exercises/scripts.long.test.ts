/**
 * @module
 * The scripts of every exercise over HTTP, for the students of a class: the reference solution passes, and each wrong
 * one fails with a finding that says what is missing. The solution of another student fails where it has data of that
 * student, and is recorded. The edges have two students, the slow suite twenty.
 */

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Listening } from '../../../server/socket/listen.ts';
import { listen } from '../../../server/socket/listen.ts';
import { isFileKind } from '../../../src/exercise/submission.ts';
import { sampled } from '../../sample.ts';
import { classUnderTest, STUDENTS as EVERY_STUDENT, EXERCISES, tokenOf } from './class.ts';
import { operationHere } from './operation-here.ts';

const FOLDER = new URL('../../../exercises/', import.meta.url);
/** Each has other data. */
const STUDENTS = sampled(EVERY_STUDENT, 10);

/** The finding of each wrong solution. */
const FINDINGS: Readonly<Record<string, RegExp>> = {
  'verify-claim/wrong-all-valid.js': /claims have another first failed check/,
  'verify-claim/wrong-required-bits.js': /not the bits that are required/,
  'mine-claim/wrong-context.js': /the signature is not valid for this key, challenge/,
  'mine-claim/wrong-hashed-text.js': /SHA-256 of the public key is [0-9a-f]{64}, not the claimed/,
  'predict-cost/wrong-product.js': /this is the product of both puzzles/,
  'predict-cost/wrong-median.js': /this is the median/,
  'count-messages/wrong-without-ok.js': /messages of one type are missing: OK/,
  'count-messages/wrong-live-only.js': /also messages to nodes that are down/,
  'choose-difficulty/wrong-one-expected.js': /one of the two demands is not met/,
  'choose-difficulty/wrong-no-id.js': /one of the two demands is not met/,
  'spoof-coordinator/wrong-live-node.js': /inject COORDINATOR in the name of the node that is down/,
  'spoof-coordinator/wrong-nothing.js': /open: start the election and advance it to idle/,
  'forge-top-id/wrong-any-id.js': /node IDs of network [a-d] are higher/,
  'forge-top-id/wrong-own-key.js': /no metered forgery of yours has found this key/,
  'phantom-probe/wrong-real-node.js': /name the rank 8, which no node has/,
  'phantom-probe/wrong-too-late.js': /must have passed the phantom on before any node starts/,
  'swallow-ring/wrong-no-node.js': /the action partition is not allowed here/,
  'swallow-ring/wrong-no-answer.js': /ring: there is no action outbox yet/,
  'break-xor-puzzle/wrong-many-y.js': /the claims use 2 different Y/,
  'break-xor-puzzle/wrong-same-x.js': /claim 2 fails the check dynamic/,
  'eight-siblings/wrong-eight-secrets.js': /the keys come from 8 secrets/,
  'eight-siblings/wrong-key-in-hash.js': /claim 1 fails the check signature/,
  'salt-stockpile/wrong-puzzle-only.js': /with the salt puzzle a part of its preparation keeps/,
  'salt-stockpile/wrong-extremes.js': /\d+ batches lead with probability 0\.\d+, and fewer suffice/,
  'eclipse-successors/wrong-anywhere.js': /successor 1 of the victim is still honest/,
  'eclipse-successors/wrong-one.js': /1 of 3 claims with different node IDs/,
  'fence-zombie/wrong-short-pause.js': /its lease must expire/,
  'fence-zombie/wrong-unfenced.js': /the resource unfenced accepts \d+ writes of the old leader/,
  'calm-storm/wrong-frozen-members.js': /not the two defences with which the leader changes least/,
  'calm-storm/wrong-too-short.js': /leave the node down, and up, long enough/,
  'find-counterexample/wrong-other-property.js': /there is one with fewer/,
  'find-counterexample/wrong-one-check.js':
    /after the \d+ steps these lead: \d, \d, in the order in which they began; the nodes/,
  'eclipse-key/wrong-ring.js': /4 of your node IDs are farther from the key/,
  'eclipse-key/wrong-prefix.js': /4 of your node IDs are farther from the key/,
  'price-churn/wrong-no-churn.js': /this is the price without churn/,
  'price-churn/wrong-renewals.js':
    /this renews too often|another lifetime than 1 has a lower price/,
  'price-defence/wrong-free-returns.js': /this leaves out what the returns cost with the defence/,
  'price-defence/wrong-bound.js': /not every node answers one that returns/,
  'depose-leader/wrong-pre-vote.js': /with preVote the leader survives a cut until tick \d+/,
  'depose-leader/wrong-too-short.js': /the node must receive nothing for a whole time-out/,
  'slow-clock/wrong-both-sides.js': /or a smaller one is safe/,
  'slow-clock/wrong-bound.js': /this is the longest possible time.*may still count longer/s,
  'worst-ring/wrong-ascending.js': /messages are sent on this ring, and more are possible/,
  'worst-ring/wrong-incomplete.js': /each of the \d node IDs of your instance once/,
};

interface Graded {
  readonly status: string;
  readonly points: number;
  readonly findings: readonly { readonly met: boolean; readonly detail: string }[];
}

const students = classUnderTest({ executions: { operation: operationHere } });
let server: Listening;

beforeAll(async () => {
  server = await listen({ host: '127.0.0.1', port: 0 }, students.app, () => undefined);
});

afterAll(() => server.close());

/** Files are graded offline (test/runtime/sandbox). */
const SERVED = EXERCISES.filter(({ submission }) => !isFileKind(submission));

describe.each(SERVED.map(({ name }) => name))('the scripts of %s', (name) => {
  const scripts = readdirSync(fileURLToPath(new URL(name, FOLDER)));
  const wrong = scripts.filter((script) => script.startsWith('wrong-'));

  it.each(wrong)('%s fails for every student', async (script) => {
    const file = `${name}/${script}`;

    const exercise = SERVED.find((each) => each.name === name);
    const pointsMax = exercise?.wrongPoints[script.replace(/\.js$/, '')] ?? 0;

    const graded = await runForAll(file);

    for (const { status, points, findings } of graded) {
      expect(['incorrect', 'partial'], file).toContain(status);
      expect(points, file).toBeLessThanOrEqual(pointsMax);
      const missing = findings.filter(({ met }) => !met).map(({ detail }) => detail);
      expect(missing.join('\n'), file).toMatch(FINDINGS[file] ?? /^$/);
    }
  });

  it('solution.js passes for every student, and not for another one whose data it does not have', async () => {
    const kind = SERVED.find((exercise) => exercise.name === name)?.submission ?? '';
    // Few numbers are those of one instance alone.
    const isCopied = KINDS_WITH_DATA.includes(kind) || name === 'price-defence';
    const copied: string[] = [];

    const graded = await runForAll(`${name}/solution.js`, async (submission, index) => {
      // The last student has no further one.
      const copier = STUDENTS[index + 1];
      if (!isCopied || copier === undefined) return;
      await students.instance(copier, name);
      const { json } = await students.submit(copier, name, submission);
      copied.push(String(json.status));
    });

    expect(graded.map(({ status }) => status)).toEqual(STUDENTS.map(() => 'correct'));
    expect(copied).toHaveLength(isCopied ? STUDENTS.length - 1 : 0);
    expect(copied.filter((status) => !['incorrect', 'partial'].includes(status))).toEqual([]);
    const { json } = await students.get('teacher', `/v1/exercises/${name}/suspicions?pageSize=100`);
    const pairs = STUDENTS.slice(1).map((student, index) => ({ student, of: STUDENTS[index] }));
    expect(json.items).toMatchObject(isCopied ? pairs.reverse() : []);
  });

  it('has two wrong solutions', () => expect(wrong).toHaveLength(2));
});

/** Kinds of submissions that have data of an instance, which no other student can have by chance. */
const KINDS_WITH_DATA: readonly string[] = [
  'checks',
  'claim',
  'claims',
  'ring',
  'settings',
  'scenario',
  'counterexamples',
];

/** What the server answers to a script of each student, one after the other. `before` receives what a script submits. */
async function runForAll(
  file: string,
  before: (submission: unknown, index: number) => Promise<void> = async () => undefined,
): Promise<Graded[]> {
  const { connect } = await import(new URL('client.js', FOLDER).href);
  const { solve } = await import(new URL(file, FOLDER).href);
  const graded: Graded[] = [];
  for (const [index, student] of STUDENTS.entries()) {
    const client = connect(server.url, tokenOf(student));
    const submit = async (exercise: string, submission: unknown) => {
      await before(submission, index);
      return client.submit(exercise, submission);
    };
    graded.push(await solve({ ...client, submit }));
  }
  return graded;
}
