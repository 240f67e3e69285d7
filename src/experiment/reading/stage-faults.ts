/**
 * @module
 * What of a threat model's watched elections cannot be staged, found before any run: every protocol is
 * staged once, with a population as runs have them, and what is refused is told of the member that says it.
 */

import { BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import { defencesFault, settingsOf } from '../../election/defences/defended.ts';
import { DEFENCE_NAMES, DEFENCES } from '../../election/defences/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { faultProblem } from '../../simulation/faults/schedule.ts';
import { FAULT_FLAGS } from '../../simulation/faults/text.ts';
import { CHOSEN_DEFENCE_NAMES } from '../document/defence-names.ts';
import { WATCHED_NODES_MAX, WATCHED_TICKS_MAX } from '../document/limits.ts';
import { runKindOf } from '../document/run-kind.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { ofNodes } from '../staging/defences.ts';
import { prepareStage } from '../staging/model-stage.ts';
import type { Script } from '../staging/script.ts';
import { fittedTo, isForging, mayForge, readScript } from '../staging/script.ts';

/** One thing that does not fit: where, and what is wrong, in words that follow the member's name. */
export interface Contradiction {
  readonly path: readonly string[];
  readonly message: string;
}

/** The first thing of a watched model that cannot be staged; null where all can, or nothing is watched. */
export function stageFault(model: ThreatModel): Contradiction | null {
  if (runKindOf(model) !== 'watched') return null;
  const { ordinary, forged } = typicalOwners(model);
  const owners = [...ordinary, ...forged];
  if (owners.length > WATCHED_NODES_MAX) {
    const message = `must be lower: at most ${WATCHED_NODES_MAX} nodes are watched, adversaries' identities included`;
    return { path: ['network', 'honest'], message };
  }
  const read = scriptOrFault(model);
  if ('path' in read) return read;
  for (const protocol of model.network.election.protocols) {
    const fault =
      behaviourFault(model, protocol) ??
      defenceFault(model, protocol) ??
      propertyFault(model, protocol) ??
      plannedFault(model, read, { protocol, ordinary, forged });
    if (fault !== null) return fault;
  }
  return null;
}

/** Who is there in every run, and one forged identity of each adversary that forges, above them. */
interface TypicalOwners {
  readonly ordinary: readonly (string | null)[];
  readonly forged: readonly string[];
}

function typicalOwners({ network, adversaries }: ThreatModel): TypicalOwners {
  const named = Object.entries(adversaries).sort(([left], [right]) => (left < right ? -1 : 1));
  // One more than can be watched is as bad as a million.
  const listed = <T>(owner: T, count: number): T[] =>
    Array.from({ length: Math.min(count, WATCHED_NODES_MAX + 1) }, () => owner);
  const theirs = named.flatMap(([name, { identities }]) => listed(name, identities));
  const forged = named.flatMap(([name, adversary]) => (mayForge(adversary) ? [name] : []));
  return { ordinary: [...theirs, ...listed(null, network.honest)], forged };
}

function scriptOrFault(model: ThreatModel): Script | Contradiction {
  try {
    return readScript(model);
  } catch (error) {
    const [fault] = error instanceof LabError ? error.faults : [];
    if (fault === undefined) throw error;
    return { path: fault.pointer.split('/').slice(1), message: fault.detail };
  }
}

function behaviourFault(model: ThreatModel, protocol: ProtocolName): Contradiction | null {
  for (const [name, { behaviours }] of Object.entries(model.adversaries)) {
    const path = ['adversaries', name, 'behaviours'];
    const twice = behaviours.find((each, index) => behaviours.indexOf(each) < index);
    if (twice !== undefined) return { path, message: `must name ${twice} once` };
    for (const each of behaviours) {
      const unsupportedReason = BEHAVIOURS[each].unsupportedReason(protocol);
      if (unsupportedReason !== null) {
        return {
          path,
          message: `must not name ${each}, which does not fit ${protocol}: ${unsupportedReason}`,
        };
      }
    }
  }
  return null;
}

function defenceFault(model: ThreatModel, protocol: ProtocolName): Contradiction | null {
  const { defences, level, resource } = model.network.election;
  const path = ['network', 'election', 'defences'];
  const isLooking = Object.keys(model.adversaries).length > 0 || defences.length > 0;
  const asked = { protocol, level: level ?? (isLooking ? ('L0' as const) : null) };
  const isMet = isForging(model);
  const faultOf = (names: readonly string[]) =>
    repeated(names) ??
    (names.includes('beacon-rank') && !isMet
      ? 'beacon-rank is nothing where no identity is forged'
      : defencesFault(ofNodes(names, isMet, protocol), asked));
  const fault = faultOf(defences);
  if (fault !== null) {
    const fitting = CHOSEN_DEFENCE_NAMES.filter((name) => faultOf([name]) === null);
    const fits = fitting.length === 0 ? 'none fits' : `those that fit are ${fitting.join(', ')}`;
    return { path, message: `do not fit: ${fault}; ${fits}` };
  }
  const chosen = DEFENCE_NAMES.filter((name) => defences.includes(name));
  if (resource !== undefined && settingsOf(chosen, protocol).work !== undefined) {
    const message = 'must not name fencing beside a resource: it is resource: fencing-max';
    return { path, message };
  }
  return null;
}

function repeated(names: readonly string[]): string | null {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  return twice === undefined ? null : `${twice} is named twice`;
}

function propertyFault(model: ThreatModel, protocol: ProtocolName): Contradiction | null {
  const { property } = model.expect;
  if (!PROPERTIES[property].needsResource) return null;
  const { resource, defences } = model.network.election;
  const isHogged = Object.values(model.adversaries).some(({ behaviours }) =>
    behaviours.includes('lease-hog'),
  );
  if (resource === undefined && !isHogged && !defences.includes('fencing')) {
    const message = `must be given for ${property}, for example unfenced`;
    return { path: ['network', 'election', 'resource'], message };
  }
  const unsupportedReason = DEFENCES.fencing.unsupportedReason(protocol);
  if (unsupportedReason === null) return null;
  const message = `must not name ${protocol} for ${property}: ${unsupportedReason}`;
  return { path: ['network', 'election', 'protocols'], message };
}

interface Population {
  readonly protocol: ProtocolName;
  readonly owners: readonly (string | null)[];
}

/** What the simulator refuses of it all, looked for without faults, with each kind of them, with all. */
function plannedFault(
  model: ThreatModel,
  script: Script,
  { protocol, ordinary, forged }: TypicalOwners & Pick<Population, 'protocol'>,
): Contradiction | null {
  const population = { protocol, owners: [...ordinary, ...forged] };
  const unforged = { protocol, owners: ordinary };
  const all =
    refusalOf(model, script, population) ??
    refusalOf(model, fittedTo(script, ordinary.length), unforged);
  if (all === null) return ticksFault(model, script, population);
  const bare = refusalOf(model, { ...script, crashes: [], faults: [] }, population);
  if (bare !== null) return electionFault(bare);
  const { faults = { notice: 'crashes' as const } } = model;
  for (const flag of FAULT_FLAGS) {
    const text = faults[flag];
    if (text === undefined) continue;
    const alone = { ...model, faults: { notice: faults.notice, [flag]: text } };
    const refused = refusalOf(alone, readScript(alone), population);
    if (refused !== null) {
      return { path: ['faults', flag], message: `does not fit: ${faultWords(refused)}` };
    }
  }
  return { path: ['faults'], message: `do not fit together: ${faultWords(all)}` };
}

function refusalOf(model: ThreatModel, script: Script, population: Population): string | null {
  try {
    prepareStage(model, script, population);
    return null;
  } catch (error) {
    if (error instanceof LabError) return faultProblem(error)?.detail ?? error.message;
    throw error;
  }
}

/** By how a refusal of the simulator begins: the member that it is about. */
const ABOUT: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^flags: /, ['network', 'election', 'flags']],
  [/^detector:? /, ['network', 'election', 'detector']],
  [/^(latency |a message could take )/, ['network', 'election', 'latency']],
  [/^defences: /, ['network', 'election', 'defences']],
  [/^\d+ nodes are too many /, ['network', 'honest']],
];

function electionFault(refused: string): Contradiction {
  const [begin, path] = ABOUT.find(([form]) => form.test(refused)) ?? [
    /^/,
    ['network', 'election'],
  ];
  const isName = /^(flags|detector|latency|defences)/.test(refused);
  return { path, message: `does not fit: ${isName ? refused.replace(begin, '') : refused}` };
}

/** Without the name of an option, which is not a member of the document. */
function faultWords(refused: string): string {
  return refused.replace(/^(crashedBefore|faults|schedule):? /, '');
}

function ticksFault(
  model: ThreatModel,
  script: Script,
  population: Population,
): Contradiction | null {
  const { ticks } = prepareStage(model, script, population).stage;
  if (ticks <= WATCHED_TICKS_MAX) return null;
  const message = `must be given, at most ${WATCHED_TICKS_MAX}: with this latency and these faults it would be watched for ${ticks}`;
  return { path: ['network', 'election', 'ticks'], message };
}
