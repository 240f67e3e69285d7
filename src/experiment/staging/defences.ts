/**
 * @module
 * The defences against an attack: which of them apply, which are chosen, and which are off and can be tried.
 * A defence is of the nodes, a setting of protocol or resource, a level of authentication, or a rule for
 * admission and ranks.
 */

import type { Level } from '../../election/authentication/authenticated.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import { defencesFault, settingsOf } from '../../election/defences/defended.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import { DEFENCE_NAMES, DEFENCES } from '../../election/defences/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { AttackDefence, ChosenDefence } from '../document/defence-names.ts';
import {
  CHOSEN_DEFENCE_NAMES,
  NETWORK_DEFENCE_NAMES,
  NETWORK_DEFENCES,
  networkDefence,
} from '../document/defence-names.ts';

/** The part of an attack that decides which defences apply. */
export interface Defended {
  readonly protocol: ProtocolName;
  readonly level: Level;
  readonly defences: readonly ChosenDefence[];
  readonly isForging: boolean;
}

/** Reads names of defences. Throws LabError `arguments` with what would be right. */
export function chosenDefences(
  names: readonly string[],
  attack: Omit<Defended, 'defences'>,
): readonly ChosenDefence[] {
  const chosen = CHOSEN_DEFENCE_NAMES.filter((name) => names.includes(name));
  const fault = namesFault(names, attack) ?? setFault({ ...attack, defences: chosen });
  if (fault === null) return chosen;
  const fitting = CHOSEN_DEFENCE_NAMES.filter((name) =>
    name === 'beacon-rank' ? attack.isForging : setFault({ ...attack, defences: [name] }) === null,
  );
  const list = fitting.length === 0 ? 'none' : fitting.join(', ');
  const fits = `defences that fit ${attack.protocol} at ${attack.level}: ${list}`;
  const detail = `${fault}; ${fits}`;
  throw new LabError('arguments', detail, [{ pointer: '/defences', detail }]);
}

function namesFault(names: readonly string[], { isForging }: Omit<Defended, 'defences'>) {
  for (const [index, name] of names.entries()) {
    const flag = networkDefence(name)?.flag ?? null;
    if (flag !== null) return `${name} is not set by its name: use ${flag}`;
    if (names.indexOf(name) < index) return `${name} is named twice`;
    if (CHOSEN_DEFENCE_NAMES.every((known) => known !== name)) {
      return `there is no defence ${JSON.stringify(name)}`;
    }
    if (name === 'beacon-rank' && !isForging) {
      return 'beacon-rank does not apply unless identities are forged';
    }
  }
  return null;
}

/** The defences of the nodes and the run: frozen registration is of the nodes only for some protocols. */
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

/** A defence that is off and applies. `why` is the reason why it cannot be tried, or null. */
export interface DefenceOff {
  readonly defence: AttackDefence;
  readonly why: string | null;
}

/** The defences that are off and apply, in the order in which they are tried: levels first. */
export function defencesOff(defended: Defended): readonly DefenceOff[] {
  const { protocol, level, defences, isForging } = defended;
  const above = NETWORK_DEFENCE_NAMES.filter((name) => {
    const own = NETWORK_DEFENCES[name].level;
    return own !== null && LEVELS.indexOf(own) > LEVELS.indexOf(level);
  });
  const chosen = CHOSEN_DEFENCE_NAMES.filter((name) => {
    const when = whenItFits(name, protocol);
    return !defences.includes(name) && (when === 'always' || (when === 'forging' && isForging));
  });
  const whyNot = (name: ChosenDefence) => {
    const fault = setFault({ ...defended, defences: [...defences, name] });
    return fault?.replace(`${name} needs`, 'needs') ?? null;
  };
  return [
    ...above.map((defence) => ({ defence, why: null })),
    ...chosen.map((defence) => ({ defence, why: whyNot(defence) })),
    ...(isForging ? [{ defence: 'proof-of-work', why: null } as const] : []),
  ];
}

/** When a defence applies to a protocol: to every attack, to attacks with forged identities, or never. */
export function whenItFits(
  name: AttackDefence,
  protocol: ProtocolName,
): 'always' | 'forging' | 'never' {
  if (name === 'proof-of-work' || name === 'beacon-rank') return 'forging';
  if (isLevel(name) || DEFENCES[name].unsupportedReason(protocol) === null) return 'always';
  return name === 'frozen-membership' ? 'forging' : 'never';
}

/** Whether a defence is a level of authentication. */
export function isLevel(
  name: AttackDefence,
): name is 'channel-authentication' | 'signatures' | 'freshness' {
  return (networkDefence(name)?.level ?? null) !== null;
}

/** Whether a defence is named, and not set by a level or by the difficulty. */
export function isChosen(name: AttackDefence): name is ChosenDefence {
  return (networkDefence(name)?.level ?? null) === null && name !== 'proof-of-work';
}

/** Why these defences do not fit together. Null if they do. */
export function setFault({ protocol, level, defences, isForging }: Defended): string | null {
  const all = ofNodes(defences, isForging, protocol);
  const fault = defencesFault(all, { protocol, level });
  if (fault !== null) return fault;
  const { protocol: other } = settingsOf(all, protocol);
  if (other === undefined) return null;
  // The other defences wrap the nodes of the protocol that replaces this one.
  const rest = all.filter((name) => DEFENCES[name].kind !== 'setting');
  const clash = defencesFault(rest, { protocol: other, level });
  return clash === null ? null : `with successor-list the protocol is ${other}, and ${clash}`;
}
