/**
 * @module
 * This folder contains what a person can ask of the lab: one operation in one file. This file says what an operation is.
 * The verb of the command line, the job and its route, the form of the browser and the documentation are derived from it.
 */

import { z } from 'zod';
import { definition } from '../election/definition/definitions.ts';
import type { ErrorCode } from '../errors.ts';
import { jsonPointer, LabError } from '../errors.ts';
import { shellWord } from '../experiment/reading/shell-word.ts';
import type { Column, TableRow } from '../experiment/sweep/columns.ts';
import type { Seed } from '../random.ts';
import { memberWords } from './command-words.ts';
import type { Machine, OperationProgress } from './machine.ts';
import type { InputOf, Member, Members } from './member.ts';
import type { Report } from './report.ts';

/** What an operation receives besides its input. */
export interface OperationContext {
  /** Number of threads that it may use. */
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: OperationProgress) => void;
  /** Receives what is finished. A server keeps it if the work does not end soon after an abort. */
  readonly onPartial: (output: { readonly replay: string }) => void;
  /** Receives remarks for people, one line each, which are no part of the output. */
  readonly onNote: (line: string) => void;
  /** Receives what only the person who asked may have, such as private keys. It is no part of the output. */
  readonly onSecret?: (secret: Secret) => void;
  /** The seed of the input, or one that is chosen and shown to the user. */
  readonly seedFor: (given: string | undefined) => Seed;
  /** Whether a server runs it for somebody else. */
  readonly isRemote: boolean;
  readonly machine: Machine;
}

/** Rows with named columns, for CSV, JSON lines and Parquet. */
export interface OutputTable {
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
}

/** What an output says. It decides the exit code of the command. */
export type Outcome = 'holds' | 'violated' | 'unknown';

/** The output schema of an operation. Every output has the command that computes it again. */
export type OutputSchema = z.ZodType<{ readonly replay: string }>;

/** All facts of an operation. What takes an input is a method, so that operations of all types fit into one list. */
export interface OperationFacts<M extends Members, O extends OutputSchema> {
  /** The verb, and the kind of its jobs. */
  readonly name: string;
  /** The collection of its jobs in the API. */
  readonly collection: string;
  /** The heading of its form. */
  readonly title: string;
  /** One line, as in the list of verbs. */
  readonly summary: string;
  /** What the summary leaves out. */
  readonly description: string;
  readonly members: M;
  readonly output: O;
  /** Whether its form asks again after each change, because usual answers take milliseconds. */
  readonly answersWhileTyping: boolean;
  /** Whether it measures time, so that nothing else may run beside it. */
  readonly measuresTime: boolean;
  /** Refuses members that do not fit together, with LabError. A server has lower limits for remote requests. */
  check(input: InputOf<M>, isRemote: boolean): void;
  /** The output if it takes only milliseconds; else null. */
  atOnce(input: InputOf<M>): z.output<O> | null;
  /** Computes the output. After an abort it is what was finished, or null if nothing was. */
  run(input: InputOf<M>, context: OperationContext): Promise<z.output<O> | null>;
  outcomeOf(output: z.output<O>): Outcome;
  /** What each outcome means; null for one that does not occur. */
  readonly outcomes: Readonly<Record<Outcome, string | null>>;
  report(output: z.output<O>): Report;
  /** A chart as an SVG document; null without one. */
  picture(output: z.output<O>): string | null;
  /** The rows of the output; null without rows. */
  table(output: z.output<O>): OutputTable | null;
  /** Whether it has a picture and rows, and a sweep whose files a user can keep. A sweep uses all cores of a computer. */
  readonly has: {
    readonly picture: boolean;
    readonly table: boolean;
    readonly files?: true;
    /** What its progress has besides counts. */
    readonly progress?: z.ZodObject;
    /** Whether `onSecret` receives something. */
    readonly secret?: true;
    /** The page of a file, if it is not the report with the picture. */
    page?(output: z.output<O>): string;
  };
  /** Inputs as people enter them, by the names of the members. */
  readonly examples: readonly Readonly<Record<string, string | boolean>>[];
}

/** The names of all facts. A file of the user is checked by them, because Node does not check types. */
export const OPERATION_FACTS = [
  'name',
  'collection',
  'title',
  'summary',
  'description',
  'members',
  'output',
  'answersWhileTyping',
  'measuresTime',
  'check',
  'atOnce',
  'run',
  'outcomeOf',
  'outcomes',
  'report',
  'picture',
  'table',
  'has',
  'examples',
] as const satisfies readonly (keyof Operation)[];

/** An operation of any input and output. */
export type Operation = OperationFacts<Members, OutputSchema>;

/** Returns the definition with its precise types. */
export function defineOperation<const M extends Members, O extends OutputSchema>(
  facts: OperationFacts<M, O>,
): OperationFacts<M, O> {
  return definition('operation', facts);
}

/** The schema of the whole input. `isRemote` gives that of requests, which have lower limits. */
export function inputSchema({ members }: Pick<Operation, 'members'>, isRemote: boolean) {
  const shape = Object.entries(members).map(([name, { schema, remote }]) => {
    return [name, isRemote ? remote : schema] as const;
  });
  return z.strictObject(Object.fromEntries(shape));
}

/** The refusal of a member, or of a part of it, that does not fit to the others. */
export function memberFault(
  code: ErrorCode,
  member: string | readonly string[],
  detail: string,
): LabError {
  const path = [member].flat();
  return new LabError(code, `${path.join('.')}: ${detail}`, [
    { pointer: jsonPointer(path), detail },
  ]);
}

/** Does work. What it refuses is a fault of this member, unless it points at one itself. */
export function inMember<T>(member: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError) || error.faults.length > 0) throw error;
    throw memberFault(error.code, member, error.message);
  }
}

type Verb<M extends Members> = Pick<OperationFacts<M, OutputSchema>, 'name' | 'members'>;

/** The verb, and what differs from the defaults in this input. */
export function inputWords<M extends Members>(
  { name, members }: Verb<M>,
  input: InputOf<M>,
): readonly string[] {
  const values: Readonly<Record<string, unknown>> = input;
  const words = Object.entries<Member>(members).flatMap(([key, member]) => {
    return memberWords(key, member, values[key]);
  });
  return [name, ...words];
}

/** The command that computes the output of this input again. */
export function replayOf<M extends Members>(verb: Verb<M>, input: InputOf<M>): string {
  return ['usurp', ...inputWords(verb, input)].map(shellWord).join(' ');
}

/** What only the person who asked may have: keys, and the seed that reveals them. */
export const secretSchema = z
  .object({
    seed: z
      .string()
      .nullable()
      .describe('Null if none was drawn, or if the job counts for the budget of an exercise.'),
    keys: z
      .array(
        z
          .object({ form: z.enum(['seed', 'scalar', 'torsion-scalar']), hex: z.string() })
          .readonly(),
      )
      .readonly()
      .describe('The private keys of the claims, in their order.'),
  })
  .readonly()
  .meta({ id: 'Secret' });

/** Private keys, and the seed of their search. */
export type Secret = z.output<typeof secretSchema>;
