/**
 * @module
 * `usurp attack --list`: the behaviours of adversaries, the defences, and the protocols that they fit.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { listedBehaviours, listedDefences } from '../../experiment/attack/listed.ts';
import { textColumns } from '../shell/layout.ts';

/** The text of all behaviours and defences, or of those that fit one protocol. */
export function attackListText(protocol: ProtocolName | undefined, isJson: boolean): string {
  const only = protocol === undefined ? PROTOCOL_NAMES : [protocol];
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
