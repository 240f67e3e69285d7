/**
 * @module
 * The documents of the exercises: read with positions, described by the published JSON Schema, possible on a server,
 * with a fixed derivation of everything that differs from student to student.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  electionRequestSchema,
  parseElectionRequest,
} from '../../server/elections/live/request.ts';
import { bytesToHex } from '../../src/bytes.ts';
import { LabError } from '../../src/errors.ts';
import { instanceId, instanceKey, partSeed } from '../../src/exercise/derivation.ts';
import { authoringSchemaOf, exerciseSchema } from '../../src/exercise/document.ts';
import { grade } from '../../src/exercise/grading.ts';
import { createInstance } from '../../src/exercise/instance.ts';
import { parseExercise } from '../../src/exercise/reading.ts';
import type { Submission } from '../../src/exercise/submission.ts';
import { isFileKind } from '../../src/exercise/submission.ts';
import { readExercises } from '../../src/runtime/files/exercises.ts';

const FOLDER = new URL('../../exercises/', import.meta.url);
const EXERCISES = await readExercises();
const SECRET = Uint8Array.from({ length: 32 }, (_, index) => index);

const textOf = (name: string) => readFileSync(new URL(`${name}/exercise.yaml`, FOLDER), 'utf8');

/** A claim for no instance. */
const CLAIM = {
  scheme: 'ed25519' as const,
  solution: null,
  publicKey: '00'.repeat(32),
  nodeId: '00'.repeat(32),
  signature: '00'.repeat(64),
};

/** The first line of a refusal. */
function refusalOf(text: string): string {
  try {
    parseExercise(text, 'own.yaml');
  } catch (error) {
    if (error instanceof LabError && error.code === 'document') return error.message;
    throw error;
  }
  return 'none';
}

describe.each(EXERCISES.map((exercise) => [exercise.name, exercise] as const))(
  '%s',
  (name, exercise) => {
    it('is in the folder of its name, with a solution and two wrong ones', () => {
      const files = readdirSync(new URL(`${name}/`, FOLDER));

      expect(files).toContain(isFileKind(exercise.submission) ? 'solution.ts' : 'solution.js');
      expect(files.filter((file) => file.startsWith('wrong-'))).toHaveLength(2);
    });

    it('requires exercises that exist and are not harder', () => {
      const required = exercise.requires.map((each) =>
        EXERCISES.find((other) => other.name === each),
      );

      for (const each of required) {
        expect(each?.difficulty ?? Number.NaN).toBeLessThanOrEqual(exercise.difficulty);
      }
    });

    it('has elections that a server creates, also with the smallest and largest numbers', () => {
      for (let student = 0; student < 40; student += 1) {
        const { elections, policy } = createInstance(exercise, {
          secret: SECRET,
          student: `s${student}`,
        });
        for (const body of Object.values(elections)) {
          expect(() =>
            parseElectionRequest(electionRequestSchema.parse(body), policy),
          ).not.toThrow();
        }
      }
    });

    it('gives no points to a submission of another kind or to work that was not done', () => {
      const instance = createInstance(exercise, { secret: SECRET, student: 'alice' });
      const record = { elections: {}, forgeries: [] };
      const submissions: Submission[] = [
        { type: 'number', number: 0 },
        { type: 'elections' },
        { type: 'ring', ring: ['0'.repeat(64)] },
        { type: 'checks', checks: [{ claim: '00000000', check: 'none', measuredBits: null }] },
        { type: 'claims', claims: [CLAIM] },
        { type: 'settings', settings: {} },
        {
          type: 'scenario',
          ...{ crashes: [], pauses: [], defences: [], changes: [], resource: 'fencing-max' },
        },
        { type: 'counterexamples', byHand: [], byCheck: [] },
      ];

      for (const submission of submissions) {
        const { points, passed } = grade(exercise, instance, { submission, record });
        expect({ submission, points, passed }).toEqual({ submission, points: 0, passed: false });
      }
    });
  },
);

describe('documents', () => {
  it('are described by the published schema', () => {
    const published = readFileSync(new URL('exercise.schema.json', FOLDER), 'utf8');

    expect(JSON.parse(published)).toEqual(
      JSON.parse(JSON.stringify(authoringSchemaOf(exerciseSchema))),
    );
    expect(existsSync(new URL('client.js', FOLDER))).toBe(true);
  });

  it.each([
    ['points: 20', 'points: 0', /^own\.yaml:6:9: points must be a whole number from 1 to 1000/],
    ['points: 20', 'point: 20', /own\.yaml:6:1: point is not a known member/],
    ['category: mining', 'category: cooking', /^own\.yaml:5:11: category must be identity, mining/],
    [
      'submission: number',
      'submission: ring',
      /: submission must be number for the goal expected-cost/,
    ],
    ['tolerance: 0.2', 'tolerance: 2', /^own\.yaml:\d+:14: goal\.tolerance must be at most 0\.5/],
    ['type: expected-cost', 'type: luck', /^own\.yaml:\d+:9: goal\.type /],
  ])('with %s replaced by %s are refused with the position', (from, to, expected) => {
    const text = textOf('predict-cost');
    expect(text).toContain(from);

    expect(refusalOf(text.replace(from, to))).toMatch(expected);
  });

  it.each([
    ['fence-zombie', 'election: lease,', 'election'],
    ['spoof-coordinator', 'signed: signed }', 'signed'],
    ['phantom-probe', 'limited: limited }', 'limited'],
  ])('name an election of their set-up: %s', (name, text, member) => {
    const other = textOf(name).replace(text, `${member}: other${text.at(-1)}`);

    expect(refusalOf(other)).toContain(`goal.${member} must be the name of an election`);
  });

  it('that are broken or too long are refused', () => {
    expect(refusalOf('name: [')).toMatch(/^own\.yaml:1:\d+: this is not YAML/);
    expect(refusalOf('#'.repeat(70_000))).toMatch(/at most 65536 characters/);
    expect(refusalOf('')).toMatch(/^own\.yaml:1:1: the document must be an object/);
  });
});

describe('the derivation of an instance', () => {
  const parts = { secret: SECRET, student: 'alice', exercise: 'mine-claim', version: 1 };

  it('has the bytes of docs/bytes.md', () => {
    const key = instanceKey(parts);

    expect({
      key: bytesToHex(key),
      id: instanceId(key),
      claims: partSeed(key, 'claims'),
    }).toEqual({
      key: '23524be718e9512a5d21d3c4c5ba3b6b324f2d9ee495c909b6b84197b39dccca',
      id: '02ff902a8e353bf25577',
      claims: '76880971124976052082829235146982725987443286673369803391302361833061917144527',
    });
  });

  it('depends on the secret, the student, the exercise, its version, and where a name ends', () => {
    const changed = [
      parts,
      { ...parts, secret: SECRET.toReversed() },
      { ...parts, student: 'bob' },
      { ...parts, exercise: 'mine' },
      { ...parts, version: 2 },
      { ...parts, student: 'alicem', exercise: 'ine-claim' },
    ];

    expect(new Set(changed.map((each) => bytesToHex(instanceKey(each)))).size).toBe(changed.length);
  });

  it('refuses a secret of another length', () => {
    expect(() => instanceKey({ ...parts, secret: SECRET.slice(1) })).toThrow(RangeError);
  });
});
