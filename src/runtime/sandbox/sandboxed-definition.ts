/**
 * @module
 * The process in the sandbox: loads the submitted file (first argument) and answers steps of its machines. The
 * grader checks its answers and trusts none of them.
 */

import process from 'node:process';
import type { Behaviour } from '../../adversary/behaviours/behaviour.ts';
import type { Authentication } from '../../election/authentication/authenticated.ts';
import { createAuthenticated } from '../../election/authentication/authenticated.ts';
import type { DefinitionKind } from '../../election/definition/definitions.ts';
import type { AnyMachine, Protocol } from '../../election/definition/protocol.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import { recordingEffects } from '../../election/world/effect-record.ts';
import { frozen } from '../../election/world/plain-json.ts';
import { loadDefinitions } from '../load/load-definitions.ts';
import { withoutClock } from '../load/without-clock.ts';
import { ANSWERS_FD, ChannelFault, LineChannel, REQUESTS_FD } from './line-channel.ts';
import type { MachineSpec, StepRequest } from './step-request.ts';

/** The kinds of definitions that are submitted. */
interface Submitted {
  readonly protocol: Protocol | null;
  readonly behaviour: Behaviour | null;
  readonly guard:
    | ((machine: AnyMachine, spec: MachineSpec & { of: 'defence' }) => AnyMachine)
    | null;
  readonly protocols: Readonly<Record<string, Protocol>>;
}

const TEXT_CHARACTERS_MAX = 300;

const channel = new LineChannel({ input: REQUESTS_FD, output: ANSWERS_FD });
const [path = ''] = process.argv.slice(2);

try {
  const { kind, name, submitted } = await load(path);
  channel.write(JSON.stringify({ kind, name }));
  withoutClock('the definition', () => serve(submitted));
} catch (error) {
  channel.write(JSON.stringify({ error: textOf(error) }));
}

async function load(file: string) {
  const [loaded] = await loadDefinitions([file]);
  const { definitions = [] } = loaded ?? {};
  const [first] = definitions;
  if (first === undefined || definitions.length > 1) {
    throw new RangeError(`the file must export one definition, and exports ${definitions.length}`);
  }
  return { ...first, submitted: await find(first.kind, first.name) };
}

/** The definition by its name. The registries are read only after it was loaded. */
async function find(kind: DefinitionKind, name: string): Promise<Submitted> {
  const { findProtocol, PROTOCOLS } = await import('../../election/registry.ts');
  const { findBehaviour } = await import('../../adversary/behaviours/registry.ts');
  const { findDefence } = await import('../../election/defences/registry.ts');
  const defence = kind === 'defence' ? findDefence(name) : null;
  if (defence !== null && defence.kind !== 'inside') {
    throw new RangeError(
      `the defence must be of the kind inside, and is of the kind ${defence.kind}`,
    );
  }
  return {
    protocol: kind === 'protocol' ? findProtocol(name) : null,
    behaviour: kind === 'behaviour' ? findBehaviour(name) : null,
    guard: defence === null ? null : (machine, context) => defence.guard(machine, context),
    protocols: PROTOCOLS,
  };
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

function machineOf(
  { protocol, behaviour, guard, protocols }: Submitted,
  spec: MachineSpec,
): AnyMachine {
  if (spec.of === 'protocol' && protocol !== null) return protocol.create(spec.timing, spec.flags);
  const around = spec.of === 'protocol' ? undefined : protocols[spec.protocol];
  if (around === undefined) throw new TypeError('"machine" expected one of the submitted kind');
  const inner = around.create(spec.timing);
  if (spec.of === 'defence' && guard !== null) return guard(inner, spec);
  if (spec.of !== 'behaviour' || behaviour === null) {
    throw new TypeError('"machine" expected one of the submitted kind');
  }
  const { level, protocol: name, election, highestRank, rank, accomplices, phantom } = spec;
  const authentication: Authentication = {
    ...{ level, protocol: name, election, keysOf: () => NO_KEYS },
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
  return text.slice(0, TEXT_CHARACTERS_MAX);
}
