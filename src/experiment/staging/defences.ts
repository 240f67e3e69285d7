/**
 * @module
 * Everything that an attack can be up against: what nodes do, settings of protocol and resource, the levels
 * of authentication, and how identities are admitted and ranked. What could have stopped an attack is found
 * by putting each on alone.
 */

import type { Level } from '../../election/authenticated.ts';
import { LEVELS } from '../../election/authenticated.ts';
import { defencesFault, settingsOf } from '../../election/defences/defended.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import { DEFENCE_NAMES, DEFENCES } from '../../election/defences/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { ChosenDefence, NetworkDefence } from '../document/defence-names.ts';
import { CHOSEN_DEFENCE_NAMES } from '../document/defence-names.ts';
export type AttackDefence = DefenceName | NetworkDefence;

/** What decides which defences mean something. */
export interface Defended {
  readonly protocol: ProtocolName;
  readonly level: Level;
  readonly defences: readonly ChosenDefence[];
  readonly isForging: boolean;
}

/** Reads names of defences. Throws LabError `arguments` with what would be right. */
export function chosenDefences(
  names: readonly string[],
  { protocol, level, isForging }: Omit<Defended, 'defences'>,
): readonly ChosenDefence[] {
  for (const name of names) {
    const other = SAID_OTHERWISE[name];
    if (other !== undefined)
      throw new LabError('arguments', `${name} is not switched on: ${other}`);
  }
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new LabError('arguments', `${twice} is named twice`);
  const chosen = CHOSEN_DEFENCE_NAMES.filter((name) => names.includes(name));
  const known = new Set<string>(chosen);
  const unknown = names.find((name) => !known.has(name));
  const fitting = fittingNames({ protocol, level, isForging });
  const list = fitting.length === 0 ? 'none' : fitting.join(', ');
  if (!isForging && chosen.includes('beacon-rank')) {
    const detail = `beacon-rank is nothing where no identity is forged; what fits ${protocol} at ${level}: ${list}`;
    throw new LabError('arguments', detail);
  }
  if (unknown !== undefined) {
    const detail = `there is no defence ${JSON.stringify(unknown)}; what fits ${protocol} at ${level}: ${list}`;
    throw new LabError('arguments', detail);
  }
  const fault = defendedFault({ protocol, level, defences: chosen, isForging });
  if (fault === null) return chosen;
  throw new LabError('arguments', `${fault}; what fits ${protocol} at ${level}: ${list}`);
}

const SAID_OTHERWISE: Readonly<Record<string, string>> = {
  'channel-authentication': 'it is level L1, say --level L1',
  signatures: 'it is level L2, say --level L2',
  freshness: 'it is level L3, say --level L3',
  'proof-of-work': 'it is the difficulty of the puzzle, say --c1 with more bits',
};

/** Those that nodes and run are told of: a frozen registration may be nothing to a protocol. */
export function ofNodes(
  defences: readonly string[],
  isForging: boolean,
  protocol: ProtocolName,
): readonly DefenceName[] {
  return DEFENCE_NAMES.filter((name) => {
    if (!defences.includes(name)) return false;
    const isRegistration = isForging && name === 'frozen-membership';
    return !isRegistration || DEFENCES[name].unsupportedReason(protocol) === null;
  });
}

/** What is off and is for such a protocol, and why it cannot be tried; null where it can. */
export interface DefenceOff {
  readonly defence: AttackDefence;
  readonly why: string | null;
}

/** What is off and would mean something, in the order in which it is tried; levels are the first. */
export function defencesOff(defended: Defended): readonly DefenceOff[] {
  const { protocol, level, defences, isForging } = defended;
  const above = LEVELS.indexOf(level);
  const ofLevels = [
    ...(above < LEVELS.indexOf('L1') ? (['channel-authentication'] as const) : []),
    ...(above < LEVELS.indexOf('L2') ? (['signatures'] as const) : []),
    ...(above < LEVELS.indexOf('L3') ? (['freshness'] as const) : []),
  ];
  const chosen = CHOSEN_DEFENCE_NAMES.filter((name) => {
    const when = whenItFits(name, protocol);
    return !defences.includes(name) && (when === 'always' || (when === 'forging' && isForging));
  });
  const whyNot = (name: ChosenDefence) => {
    const fault = defendedFault({ ...defended, defences: [...defences, name] });
    return fault?.replace(`${name} needs`, 'needs') ?? null;
  };
  return [
    ...ofLevels.map((defence) => ({ defence, why: null })),
    ...chosen.map((defence) => ({ defence, why: whyNot(defence) })),
    ...(isForging ? [{ defence: 'proof-of-work', why: null } as const] : []),
  ];
}

/** When a defence is something for a protocol: at every attack, where identities are forged, or never. */
export function whenItFits(
  name: AttackDefence,
  protocol: ProtocolName,
): 'always' | 'forging' | 'never' {
  if (name === 'proof-of-work' || name === 'beacon-rank') return 'forging';
  if (isOfLevel(name)) return 'always';
  if (DEFENCES[name].unsupportedReason(protocol) === null) return 'always';
  return name === 'frozen-membership' ? 'forging' : 'never';
}

/** Whether a defence is a level, which includes those below it. */
export function isOfLevel(
  name: AttackDefence,
): name is 'channel-authentication' | 'signatures' | 'freshness' {
  return name === 'channel-authentication' || name === 'signatures' || name === 'freshness';
}

function fittingNames(attack: Omit<Defended, 'defences'>): ChosenDefence[] {
  const fits = DEFENCE_NAMES.filter(
    (name) => defendedFault({ ...attack, defences: [name] }) === null,
  );
  return attack.isForging ? [...fits, 'beacon-rank'] : fits;
}

/** Why these are not to be had together, in words; null where they are. */
function defendedFault({ protocol, level, defences, isForging }: Defended): string | null {
  const all = ofNodes(defences, isForging, protocol);
  const fault = defencesFault(all, { protocol, level });
  if (fault !== null) return fault;
  const { protocol: other } = settingsOf(all, protocol);
  if (other === undefined) return null;
  // Those that are left are put around the nodes of the protocol that takes this one's place.
  const rest = all.filter((name) => DEFENCES[name].kind !== 'setting');
  const clash = defencesFault(rest, { protocol: other, level });
  return clash === null ? null : `with successor-list the protocol is ${other}, and ${clash}`;
}
