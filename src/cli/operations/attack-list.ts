/**
 * @module
 * `usurp attack --list`: the behaviours of adversaries, the defences, and the protocols that they fit.
 */

import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { listedBehaviours, listedDefences } from '../../experiment/attack/listed.ts';
import { suggestion } from '../../experiment/reading/nearest.ts';
import { textColumns } from '../shell/layout.ts';
import type { Besides } from './operation-command.ts';

/** What the verb has besides its operation. */
export const BESIDE_ATTACK: Besides<object> = {
  list: {
    meaning: 'list behaviours and defences, and the protocols that they fit, or those that fit one',
    text: ([protocol], isJson) => attackListText(protocol, isJson),
  },
};

/** The text of all behaviours and defences, or of those that fit one protocol. */
function attackListText(protocol: unknown, isJson: boolean): string {
  const only = PROTOCOL_NAMES.filter((name) => protocol === undefined || name === protocol);
  if (only.length === 0) {
    const near = suggestion(PROTOCOL_NAMES, String(protocol));
    throw new LabError('arguments', `there is no protocol ${String(protocol)}${near}`);
  }
  const behaviours = listedBehaviours(only);
  const defences = listedDefences(only);
  if (isJson) return `${JSON.stringify({ behaviours, defences })}\n`;
  return [
    textColumns([
      ['behaviour', 'attack', 'aim', 'forges', 'description'],
      ...behaviours.map(({ name, attack, aim, forge, summary }) => [
        ...[name, attack, aim, forge, summary],
      ]),
    ]),
    textColumns([
      ['defence', 'code', 'level', 'effect and cost'],
      ...defences.map(({ name, code, needsLevel, summary, fits, forgedOnly, limits }) => [
        ...[name, code, needsLevel ?? 'any'],
        [
          fits.length === forgedOnly.length
            ? `${summary} Only against forged identities.`
            : summary,
          ...limits.map(({ protocols, limit }) => `On ${protocols.join(', ')}: ${limit}.`),
        ].join(' '),
      ]),
    ]),
    ...(protocol === undefined
      ? [
          textColumns([
            ['', 'fits'],
            ...behaviours.map(({ name, fits }) => [name, namesText(fits)]),
            ...defences.map(({ name, fits, forgedOnly }) => [name, fitsText(fits, forgedOnly)]),
          ]),
        ]
      : []),
  ].join('\n');
}

function fitsText(fits: readonly string[], forgedOnly: readonly string[]): string {
  if (forgedOnly.length === 0) return namesText(fits);
  const always = fits.filter((name) => !forgedOnly.includes(name));
  const forged = `${namesText(fits)} against forged identities`;
  return always.length === 0 ? forged : `${forged}, otherwise ${always.join(', ')}`;
}

function namesText(names: readonly string[]): string {
  return names.length === PROTOCOL_NAMES.length ? 'every protocol' : names.join(', ');
}
