/**
 * @module
 * An honest node's machine with its defences: those inside its authentication, the authentication, those
 * around it, each in the order of the registry; and what the others change in the plan of a run.
 */

import type { Level } from '../authentication/authenticated.ts';
import { LEVELS } from '../authentication/authenticated.ts';
import type { AnyMachine } from '../definition/protocol.ts';
import type { ProtocolName } from '../registry.ts';
import type { Defence, DefenceContext, SealedDefenceContext, Setting } from './defence.ts';
import type { DefenceName } from './registry.ts';
import { DEFENCE_NAMES, DEFENCES, findDefence } from './registry.ts';

/**
 * A machine with those defences that are inside the authentication. They are inside the detector of the node, whose
 * reports they use, and inside the leader workload, since a node that backs off does no work.
 */
export function guardInside(
  machine: AnyMachine,
  defences: readonly DefenceName[],
  context: DefenceContext,
): AnyMachine {
  return listed(defences).reduce((inner, each) => {
    if (each.kind === 'inside') return each.guard(inner, context);
    return each.kind === 'around' ? (each.inside?.(inner, context) ?? inner) : inner;
  }, machine);
}

/** An authenticated machine with the defences that see seals. The first one is the innermost. */
export function guardAround(
  machine: AnyMachine,
  defences: readonly DefenceName[],
  context: SealedDefenceContext,
): AnyMachine {
  return listed(defences).reduce(
    (inner, each) => (each.kind === 'around' ? each.guard(inner, context) : inner),
    machine,
  );
}

/** The defences that Byzantine nodes run too. */
export function runByAll(defences: readonly DefenceName[]): readonly DefenceName[] {
  return defences.filter((name) => {
    const defence: Defence = DEFENCES[name];
    return defence.kind === 'around' && defence.isRunByAll;
  });
}

/** Why these defences cannot be combined. Null if they can. */
export function defencesFault(
  defences: readonly string[],
  { protocol, level }: { readonly protocol: ProtocolName; readonly level: Level | null },
): string | null {
  const seen = new Set<string>();
  for (const name of defences) {
    const defence = findDefence(name);
    if (defence === null) {
      return `there is no defence ${JSON.stringify(name)}; there are ${DEFENCE_NAMES.join(', ')}`;
    }
    if (seen.has(name)) return `${name} is named twice`;
    seen.add(name);
    const unsupportedReason = defence.unsupportedReason(protocol);
    if (unsupportedReason !== null) return `${name} does not fit ${protocol}: ${unsupportedReason}`;
    const { needsLevel } = defence;
    if (needsLevel !== null && isBelow(level, needsLevel))
      return `${name} needs level ${needsLevel}`;
  }
  if (seen.has('incumbency') && seen.has('back-off')) {
    return 'incumbency and back-off hold a returned node back for different times; choose one';
  }
  return null;
}

/** What the settings among these defences change. Throws RangeError for one that does not fit. */
export function settingsOf(defences: readonly DefenceName[], protocol: ProtocolName): Setting {
  const settings = listed(defences).map((each) =>
    each.kind === 'setting' ? each.setting(protocol) : {},
  );
  return Object.assign({}, ...settings);
}

function listed(defences: readonly DefenceName[]): readonly Defence[] {
  return DEFENCE_NAMES.filter((name) => defences.includes(name)).map((name) => DEFENCES[name]);
}

function isBelow(level: Level | null, needed: Level): boolean {
  return level === null || LEVELS.indexOf(level) < LEVELS.indexOf(needed);
}
