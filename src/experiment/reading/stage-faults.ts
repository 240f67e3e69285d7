/**
 * @module
 * The contradictions of a threat model with watched elections, found before any run: every protocol is staged
 * once with a typical population, and a refusal names the member that causes it.
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
import { responseOf } from '../document/response-schema.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { mayForge, runKindOf } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { ofNodes } from '../staging/defences.ts';
import { prepareStage } from '../staging/model-stage.ts';
import type { Script } from '../staging/script.ts';
import { fittedTo, isForging, readScript } from '../staging/script.ts';

/** A member that does not fit the others. */
export interface Contradiction {
  readonly path: readonly string[];
  /** The rest of a sentence that begins with the path. */
  readonly message: string;
}

/** A contradiction at a dotted path. */
export function at(path: string, message: string): Contradiction {
  return { path: path.split('.'), message };
}

/** The first contradiction of a model with watched elections. Null if there is none. */
export function stageFault(model: ThreatModel): Contradiction | null {
  if (runKindOf(model) !== 'watched') return null;
  const { ordinary, forged } = typicalOwners(model);
  if (ordinary.length + forged.length > WATCHED_NODES_MAX) {
    const message = `must be lower: at most ${WATCHED_NODES_MAX} nodes are watched, including the adversaries' identities`;
    return at('network.honest', message);
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

/** The first contradiction between the defences of registration and a protocol. Null if there is none. */
export function registrationFault(model: ThreatModel): Contradiction | null {
  if (model.network.election.defences.length === 0) return null;
  const faults = model.network.election.protocols.map((protocol) => defenceFault(model, protocol));
  return faults.find((fault) => fault !== null) ?? null;
}

/** The owners of the ranks in every run, and above them one forged identity of each adversary that forges. */
interface TypicalOwners {
  readonly ordinary: readonly (string | null)[];
  readonly forged: readonly string[];
}

function typicalOwners({ network, adversaries }: ThreatModel): TypicalOwners {
  const named = Object.entries(adversaries).sort(([left], [right]) => (left < right ? -1 : 1));
  // A list with one more than can be watched is refused like a longer one.
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
  for (const [name, adversary] of Object.entries(model.adversaries)) {
    const { behaviours } = responseOf(adversary);
    const path = `adversaries.${name}.behaviours`;
    const twice = behaviours.find((each, index) => behaviours.indexOf(each) < index);
    if (twice !== undefined) return at(path, `must name ${twice} once`);
    for (const each of behaviours) {
      const reason = BEHAVIOURS[each].unsupportedReason(protocol);
      if (reason !== null) {
        return at(path, `must not name ${each}, which does not fit ${protocol}: ${reason}`);
      }
    }
  }
  return null;
}

function defenceFault(model: ThreatModel, protocol: ProtocolName): Contradiction | null {
  const { defences, level, resource } = model.network.election;
  const path = 'network.election.defences';
  const isGuarded = Object.keys(model.adversaries).length > 0 || defences.length > 0;
  const guarded = { protocol, level: level ?? (isGuarded ? ('L0' as const) : null) };
  const forges = isForging(model);
  const faultOf = (names: readonly string[]) =>
    repeated(names) ??
    (names.includes('beacon-rank') && !forges
      ? 'beacon-rank does not apply unless identities are forged'
      : defencesFault(ofNodes(names, forges, protocol), guarded));
  const fault = faultOf(defences);
  if (fault !== null) {
    const fitting = CHOSEN_DEFENCE_NAMES.filter((name) => faultOf([name]) === null);
    const fits = fitting.length === 0 ? 'none fits' : `those that fit are ${fitting.join(', ')}`;
    return at(path, `do not fit: ${fault}; ${fits}`);
  }
  const chosen = DEFENCE_NAMES.filter((name) => defences.includes(name));
  if (resource === undefined || settingsOf(chosen, protocol).work === undefined) return null;
  return at(path, 'must not name fencing beside a resource: write resource: fencing-max instead');
}

function repeated(names: readonly string[]): string | null {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  return twice === undefined ? null : `${twice} is named twice`;
}

function propertyFault(model: ThreatModel, protocol: ProtocolName): Contradiction | null {
  const { property } = model.expect;
  const { resource, clients, defences } = model.network.election;
  if (PROPERTIES[property].needsClients === true && clients === undefined) {
    return at('network.election.clients', `must be given for ${property}, for example 3`);
  }
  if (!PROPERTIES[property].needsResource) return null;
  const isHogged = Object.values(model.adversaries).some((adversary) =>
    responseOf(adversary).behaviours.includes('lease-hog'),
  );
  if (resource === undefined && !isHogged && !defences.includes('fencing')) {
    return at('network.election.resource', `must be given for ${property}, for example unfenced`);
  }
  const reason = DEFENCES.fencing.unsupportedReason(protocol);
  if (reason === null) return null;
  const message = `must not name ${protocol} for ${property}: ${reason}`;
  return at('network.election.protocols', message);
}

interface Population {
  readonly protocol: ProtocolName;
  readonly owners: readonly (string | null)[];
}

/** What the simulator refuses: without faults, with each kind of fault, or with all of them. */
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
    if (refused !== null) return at(`faults.${flag}`, `does not fit: ${faultText(refused)}`);
  }
  return at('faults', `do not fit together: ${faultText(all)}`);
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

/** The member that a refusal of the simulator is about, by the start of its text. */
const ABOUT: readonly (readonly [RegExp, string])[] = [
  [/^flags: /, 'network.election.flags'],
  [/^detector:? /, 'network.election.detector'],
  [/^topology:? /, 'network.election.topology'],
  [/^(latency |a message could take )/, 'network.election.latency'],
  [/^defences: /, 'network.election.defences'],
  [/^\d+ nodes are too many /, 'network.honest'],
  [/^/, 'network.election'],
];

function electionFault(refused: string): Contradiction {
  const [start, path] = ABOUT.find(([form]) => form.test(refused)) ?? [/^/, 'network.election'];
  const isName = /^(flags|detector|topology|latency|defences)/.test(refused);
  return at(path, `does not fit: ${isName ? refused.replace(start, '') : refused}`);
}

/** The text without the name of an option, which is not a member of the document. */
function faultText(refused: string): string {
  return refused.replace(/^(crashedBefore|faults|schedule):? /, '');
}

function ticksFault(
  model: ThreatModel,
  script: Script,
  population: Population,
): Contradiction | null {
  const { ticks } = prepareStage(model, script, population).stage;
  if (ticks <= WATCHED_TICKS_MAX) return null;
  const message = `must be given, at most ${WATCHED_TICKS_MAX}: with this latency and these faults the election would be watched for ${ticks} ticks`;
  return at('network.election.ticks', message);
}
