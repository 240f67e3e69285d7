/**
 * @module
 * The process in the sandbox: loads the submitted file (first argument) and answers steps of its machines. The
 * grader checks its answers and trusts none of them. The process can read no definition of the lab, except the protocol
 * around which a submitted behaviour or defence is built (sandbox-registry.ts). Facts of the submitted definition do not
 * count, and are not checked.
 */

import { dirname } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { Behaviour } from '../../adversary/behaviours/behaviour.ts';
import type { Authentication } from '../../election/authentication/authenticated.ts';
import { createAuthenticated } from '../../election/authentication/authenticated.ts';
import type { Defence } from '../../election/defences/defence.ts';
import { definitionOrigin } from '../../election/definition/definitions.ts';
import type { AnyMachine, Protocol } from '../../election/definition/protocol.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import { recordingEffects } from '../../election/world/effect-record.ts';
import { frozen } from '../../election/world/plain-json.ts';
import { withCheckedEffects } from '../load/checked-effects.ts';
import { importFile } from '../load/import-file.ts';
// The submission cannot load it any more.
import '../load/usurp.ts';
import { confineImports } from './confined-imports.ts';
import { ANSWERS_FD, ChannelFault, LineChannel, REQUESTS_FD } from './line-channel.ts';
import type { MachineSpec, StepRequest } from './step-request.ts';
import { withoutHost } from './without-host.ts';

/** The kinds of definitions that are submitted. */
interface Submitted {
  readonly protocol: Protocol | null;
  readonly behaviour: Behaviour | null;
  readonly guard:
    | ((machine: AnyMachine, spec: MachineSpec & { of: 'defence' }) => AnyMachine)
    | null;
}

const TEXT_CHARACTERS_MAX = 300;

const channel = new LineChannel({ input: REQUESTS_FD, output: ANSWERS_FD });
const [path = ''] = process.argv.slice(2);

try {
  const { kind, name, submitted } = await load(path);
  channel.write(JSON.stringify({ kind, name }));
  serve(submitted);
} catch (error) {
  channel.write(JSON.stringify({ error: textOf(error) }));
}

async function load(file: string) {
  const { href } = pathToFileURL(file);
  confineImports(`${pathToFileURL(dirname(file)).href}/`);
  withoutHost('the definition');
  const exported = Object.values(await importFile(href, file));
  const definitions = exported.flatMap((value) => {
    const origin = definitionOrigin(value);
    // A `define…` function takes and returns an object.
    return origin === null ? [] : [{ kind: origin.kind, value: value as object }];
  });
  const [first] = definitions;
  if (first === undefined || definitions.length > 1) {
    throw new RangeError(`the file must export one definition, and exports ${definitions.length}`);
  }
  const { kind, value } = first;
  return {
    kind,
    name: String(Reflect.get(value, 'name')),
    submitted: submittedOf(kind, value, file),
  };
}

/** The definition, with the members that are called. Its file is in a language without types. */
function submittedOf(kind: string, value: object, file: string): Submitted {
  // The `define…` function has stated its kind.
  const ofKind = <T>(wanted: string) => (kind === wanted ? (value as T) : null);
  const protocol = ofKind<Protocol>('protocol');
  const behaviour = ofKind<Behaviour>('behaviour');
  const defence = ofKind<Defence>('defence');
  if (protocol !== null) assertFunction(protocol, 'create');
  if (behaviour !== null) assertFunction(behaviour, 'wrap');
  if (defence !== null && defence.kind !== 'inside') {
    const detail = `the defence must be of the kind inside, and is of the kind ${defence.kind}`;
    throw new RangeError(detail);
  }
  if (defence !== null) assertFunction(defence, 'guard');
  return {
    protocol: protocol === null ? null : withCheckedEffects(file, protocol),
    behaviour,
    guard: defence === null ? null : (machine, context) => defence.guard(machine, context),
  };
}

function assertFunction(value: object, name: string): void {
  if (typeof Reflect.get(value, name) === 'function') return;
  throw new RangeError(`"${name}" must be a function`);
}

function serve(submitted: Submitted): void {
  const machines = new Map<string, AnyMachine>();
  for (;;) {
    let line: string;
    try {
      line = channel.read();
    } catch (error) {
      if (error instanceof ChannelFault) return;
      throw error;
    }
    channel.write(answerTo(line, submitted, machines));
  }
}

function answerTo(line: string, submitted: Submitted, machines: Map<string, AnyMachine>): string {
  try {
    // The grader writes the requests.
    const { machine: spec, self, state, event } = JSON.parse(line) as StepRequest;
    const key = JSON.stringify(spec);
    const machine = machines.get(key) ?? machineOf(submitted, spec);
    machines.set(key, machine);
    if (event === null) return JSON.stringify({ state: machine.init(frozen(self)), effects: [] });
    const effects: EffectRecord[] = [];
    machine.step(frozen(self), state, frozen(event), recordingEffects(effects));
    return JSON.stringify({ state, effects });
  } catch (error) {
    return JSON.stringify({ error: textOf(error) });
  }
}

function machineOf({ protocol, behaviour, guard }: Submitted, spec: MachineSpec): AnyMachine {
  if (spec.of === 'protocol' && protocol !== null) return protocol.create(spec.timing, spec.flags);
  if (spec.of === 'protocol') throw new TypeError('"machine" expected one of the submitted kind');
  const inner = PROTOCOLS[spec.protocol].create(spec.timing);
  if (spec.of === 'defence' && guard !== null) return guard(inner, spec);
  if (spec.of !== 'behaviour' || behaviour === null) {
    throw new TypeError('"machine" expected one of the submitted kind');
  }
  const { level, protocol: name, election, highestRank, rank, accomplices, phantom } = spec;
  const authentication: Authentication = {
    level,
    protocol: name,
    election,
    keysOf: () => NO_KEYS,
    ...(highestRank !== null && { highestRank }),
  };
  const { timing } = spec;
  const node = { protocol: name, timing, rank, accomplices, phantom, authentication };
  return behaviour.wrap(createAuthenticated(inner, authentication), node);
}

/** At the levels L0 and L1 no message is signed. */
const NO_KEYS = {
  sign(): never {
    throw new RangeError('there are no signatures at this level');
  },
  verify: () => false,
};

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // The student knows no such folder, and has not loaded the file by a command.
  return text.replaceAll(`--load ${dirname(path)}/`, '').slice(0, TEXT_CHARACTERS_MAX);
}
