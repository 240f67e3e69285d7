/**
 * @module
 * A counterexample as a file, format `usurp/counterexample/v1`: the check, the actions that violate the property or
 * reach the goal, and the digest of their trace. The same file gives the same trace on every machine.
 */

import { z } from 'zod';
import type { CheckRequest } from '../../checking/check-request.ts';
import { instanceOf, judgedOf } from '../../checking/check-request.ts';
import { CHECKED_PROPERTY_NAMES } from '../../checking/properties/registry.ts';
import type { TracedAction } from '../../checking/traces/trace.ts';
import { Walk } from '../../checking/traces/walk.ts';
import { clientsText } from '../../election/clients/client-form.ts';
import { LabError } from '../../errors.ts';
import { parseBySchema } from '../../schema.ts';
import type { Happening, TraceRecord } from '../../simulation/engine/trace.ts';
import { traceDigest, traceLines } from '../../simulation/engine/trace.ts';
import { integer, list, object, oneOf, text } from '../../simulation/faults/schemas.ts';
import type { UsedFile } from '../../simulation/report/saved-run.ts';
import { USED_FILES } from '../../simulation/report/saved-run.ts';
import type { WrittenRun } from '../../simulation/report/trace-formats.ts';
import { CHECK, requestOf } from './request.ts';

const COUNTEREXAMPLE_FORMAT = 'usurp/counterexample/v1';
/** Actions of a counterexample. */
const ADDRESS_LIMIT = 100_000;

/** The members of the file. */
export const COUNTEREXAMPLE = object({
  format: z.literal(COUNTEREXAMPLE_FORMAT, oneOf([COUNTEREXAMPLE_FORMAT])),
  check: CHECK,
  property: text,
  breach: text,
  /** Indexes of the actions among those that are possible. */
  address: list(integer(0, 2 ** 31), ADDRESS_LIMIT),
  /** Number of steps before those that repeat for ever; null if none repeat. */
  repeatsFrom: integer(0, ADDRESS_LIMIT).nullable(),
  digest: text,
  /** For readers: what happens, one line for each action. */
  actions: list(z.unknown(), 10 * ADDRESS_LIMIT),
  loaded: USED_FILES.optional(),
});

/** The steps of a counterexample, and what they lead to. */
export interface Counterexample {
  readonly request: CheckRequest;
  readonly property: string;
  readonly breach: string;
  readonly address: readonly number[];
  readonly repeatsFrom: number | null;
}

/** A counterexample that was carried out again. */
export interface Repeated {
  readonly run: WrittenRun;
  readonly actions: readonly TracedAction[];
  /** Index of the first action that repeats; null if none does. */
  readonly firstRepeated: number | null;
  /** Digest of the trace. */
  readonly digest: string;
  /** Why the property is not violated; null if it is. */
  readonly doubt: string | null;
  /** What is wrong in the last world; null if nothing is. */
  readonly breach: string | null;
}

/** The text of the file. `run` has the actions of the counterexample. */
export function counterexampleText(
  { request, property, breach, address, repeatsFrom }: Counterexample,
  run: WrittenRun,
  loaded: readonly UsedFile[],
): string {
  const digest = traceDigest(run.traceLines());
  const saved = {
    format: COUNTEREXAMPLE_FORMAT,
    check: documentOf(request),
    property,
    breach,
    address,
    repeatsFrom,
    digest,
    actions: run.records().map(({ action }) => action),
    ...(loaded.length > 0 && { loaded }),
  };
  return `${JSON.stringify(saved, null, 2)}\n`;
}

/** The members of a request that determine its worlds, without limits that do not limit anything. */
function documentOf(request: CheckRequest) {
  const {
    bounds,
    isShifted,
    isReduced: _reduced,
    isSymmetric: _symmetric,
    order: _order,
    walks: _walks,
    properties,
    clients,
    ...members
  } = request;
  const stated = (of: object) =>
    Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null));
  return {
    ...stated(members),
    ...(clients !== undefined && { clients: clientsText(clients) }),
    // What lasts is checked with its goal alone, which implies it.
    ...(properties.every((name) => CHECKED_PROPERTY_NAMES.includes(name)) && { properties }),
    terms: isShifted ? 'shifted' : 'exact',
    bounds: stated(bounds),
  };
}

/** Whether a text says that it is such a file. */
export function isCounterexample(fileText: string): boolean {
  return new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"${COUNTEREXAMPLE_FORMAT}"`).test(fileText);
}

/** Parses such a file. Throws LabError `schema` or `arguments`. */
export function loadCounterexample(json: unknown): Counterexample & { readonly digest: string } {
  const saved = parseBySchema(COUNTEREXAMPLE, json, 'counterexample');
  const { check, property, breach, address, repeatsFrom, digest } = saved;
  const request = requestOf(check);
  if (!request.properties.includes(property)) {
    throw new LabError('arguments', `the check does not ask for the property ${property}`);
  }
  if (repeatsFrom !== null && repeatsFrom >= address.length) {
    throw new LabError('arguments', `repeatsFrom must be below ${address.length}`);
  }
  return { request, property, breach, address, repeatsFrom, digest };
}

/** Carries out a counterexample. Throws LabError `check.address` for an action that is not possible. */
export function repeat({ request, property, address, repeatsFrom }: Counterexample): Repeated {
  const walk = new Walk(judgedOf({ ...request, properties: [property] }));
  const judged = walk.judge().find(({ property: { kind } }) => kind === 'eventually')?.property;
  const isEventually = judged !== undefined;
  /** The first step after which the property must not hold. */
  const lostFrom = judged?.recurs === true ? (repeatsFrom ?? address.length) : 0;
  const held = request.goal === undefined ? `${property} holds` : `${request.goal} is not reached`;
  let doubt: string | null = null;
  let firstRepeated: number | null = null;
  for (const [step, index] of address.entries()) {
    if (isEventually && step >= lostFrom && isHeld(walk)) doubt ??= `${held} after ${step} steps`;
    if (step === repeatsFrom) firstRepeated = walk.actions.length;
    takeAt(walk, step, index);
  }
  if (isHeld(walk)) doubt ??= `${held} in the last world`;
  if (repeatsFrom !== null && !walk.isWorldAfter(repeatsFrom)) {
    doubt ??= `the world at the end is not the one after ${repeatsFrom} steps`;
  }
  const debt = isEventually ? walk.debt(repeatsFrom) : null;
  if (debt !== null) doubt ??= `a fair execution goes on with ${debt}`;
  const { actions } = walk;
  const run = writtenCheck(request, actions, firstRepeated);
  const [{ breach } = { breach: null }] = walk.judge();
  return { run, actions, firstRepeated, digest: traceDigest(run.traceLines()), doubt, breach };
}

/** Takes an action of an address. Throws LabError `check.address` if it is not possible. */
export function takeAt(walk: Walk, step: number, index: number): void {
  if (walk.take(index)) return;
  throw refusalAt('check.address', step, `there is no possible action ${index}`);
}

/** The refusal of what happens after this number of steps of an address. */
export function refusalAt(
  code: 'check.address' | 'job.size',
  steps: number,
  detail: string,
): LabError {
  const pointer = `/address/${steps}`;
  return new LabError(code, `${pointer}: ${detail}`, [{ pointer, detail }]);
}

function isHeld(walk: Walk): boolean {
  return walk.judge().every(({ holds }) => holds);
}

/** The actions of a check as a run that can be written in all formats of traces. */
export function writtenCheck(
  request: CheckRequest,
  actions: readonly TracedAction[],
  firstRepeated: number | null,
): WrittenRun {
  const { protocol, ring, crashedBefore, absent = [], phantoms = [], byzantine } = request;
  const { cast } = instanceOf(request);
  const records = recordsOf(actions);
  return {
    plan: {
      protocol,
      crashedBefore,
      nodes: cast.nodes,
      store: cast.store,
      absent: [...absent, ...phantoms],
      nodeOrder: ring,
      byzantine,
      isUntimed: true,
      repeatsFrom: firstRepeated === null ? null : firstRepeated + 1,
    },
    records: () => records,
    traceLines: () =>
      traceLines({ trace: 'usurp/trace/v1', options: { check: documentOf(request) } }, records),
  };
}

/** The actions as the records of a trace. The number of an action, from 1, is its time. */
export function recordsOf(actions: readonly TracedAction[]): TraceRecord<Happening>[] {
  return actions.map(({ action, effects, dropped, lost }, seq) => ({
    seq,
    t: seq + 1,
    action,
    effects,
    ...(dropped && { dropped: true as const }),
    ...(lost !== null && { lost }),
  }));
}
