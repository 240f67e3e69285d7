/**
 * @module
 * `usurp attack --list`: what adversaries can do and what can be done about it, and which protocols each is
 * for.
 */

import { BEHAVIOUR_NAMES, BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import { DEFENCE_NAMES, DEFENCES } from '../../election/defences/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import type { AttackDefence } from '../../experiment/document/defence-names.ts';
import {
  NETWORK_DEFENCE_NAMES,
  NETWORK_DEFENCES,
} from '../../experiment/document/defence-names.ts';
import { whenItFits } from '../../experiment/staging/defences.ts';
import { columns } from '../shell/layout.ts';

/** Everything, or what fits one protocol. */
export function attackListText(protocol: ProtocolName | undefined, isJson: boolean): string {
  const only = protocol === undefined ? PROTOCOL_NAMES : [protocol];
  const isListed = ({ fits }: { readonly fits: readonly string[] }) => fits.length > 0;
  const behaviours = BEHAVIOUR_NAMES.map((name) => {
    const { attack, aim, needsTopId, summary, unsupportedReason } = BEHAVIOURS[name];
    const fits = only.filter((each) => unsupportedReason(each) === null);
    return { name, attack, aim: aim, forge: needsTopId ? 'top' : 'none', summary, fits };
  }).filter(isListed);
  const ofNodes = DEFENCE_NAMES.map((name) => {
    const { code, needsLevel, summary } = DEFENCES[name];
    return { name, code, needsLevel, summary, ...fitsOf(name, only) };
  });
  const ofNetwork = NETWORK_DEFENCE_NAMES.map((name) => {
    const { code, summary } = NETWORK_DEFENCES[name];
    return { name, code, needsLevel: null, summary, ...fitsOf(name, only) };
  });
  const defences = [...ofNodes, ...ofNetwork].filter(isListed);
  if (isJson) return `${JSON.stringify({ behaviours, defences })}\n`;
  return [
    columns([
      ['behaviour', 'attack', 'aim', 'forges', 'what it does'],
      ...behaviours.map(({ name, attack, aim, forge, summary }) => [
        ...[name, attack, aim, forge, summary],
      ]),
    ]),
    columns([
      ['defence', 'code', 'level', 'what it stops and costs'],
      ...defences.map(({ name, code, needsLevel, summary, fits, forgedOnly }) => [
        ...[name, code, needsLevel ?? 'any'],
        fits.length === forgedOnly.length
          ? `${summary} Only where identities are forged.`
          : summary,
      ]),
    ]),
    ...(protocol === undefined
      ? [
          columns([
            ['', 'fits'],
            ...behaviours.map(({ name, fits }) => [name, namesText(fits)]),
            ...defences.map(({ name, fits, forgedOnly }) => [name, fitsText(fits, forgedOnly)]),
          ]),
        ]
      : []),
  ].join('\n');
}

/** `forgedOnly` are those of `fits` on which it is something only where identities are forged. */
function fitsOf(name: AttackDefence, only: readonly ProtocolName[]) {
  return {
    fits: only.filter((each) => whenItFits(name, each) !== 'never'),
    forgedOnly: only.filter((each) => whenItFits(name, each) === 'forging'),
  };
}

function fitsText(fits: readonly string[], forgedOnly: readonly string[]): string {
  if (forgedOnly.length === 0) return namesText(fits);
  const always = fits.filter((name) => !forgedOnly.includes(name));
  const forged = `${namesText(fits)} where identities are forged`;
  return always.length === 0 ? forged : `${forged}, else ${always.join(', ')}`;
}

function namesText(names: readonly string[]): string {
  return names.length === PROTOCOL_NAMES.length ? 'every protocol' : names.join(', ');
}
