/**
 * @module
 * `usurp attack --list`: the behaviours of adversaries, the defences, and the protocols that they fit.
 */

import { forgesTopId } from '../../adversary/behaviours/behaviour.ts';
import { BEHAVIOUR_NAMES, BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import { DEFENCE_NAMES, DEFENCES } from '../../election/defences/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import type { AttackDefence } from '../../experiment/document/defence-names.ts';
import {
  NETWORK_DEFENCE_NAMES,
  NETWORK_DEFENCES,
} from '../../experiment/document/defence-names.ts';
import { whenItFits } from '../../experiment/staging/defences.ts';
import { textColumns } from '../shell/layout.ts';

/** The text of all behaviours and defences, or of those that fit one protocol. */
export function attackListText(protocol: ProtocolName | undefined, isJson: boolean): string {
  const only = protocol === undefined ? PROTOCOL_NAMES : [protocol];
  const isListed = ({ fits }: { readonly fits: readonly string[] }) => fits.length > 0;
  const behaviours = BEHAVIOUR_NAMES.map((name) => {
    const behaviour = BEHAVIOURS[name];
    const { attack, aim, summary } = behaviour;
    const fits = only.filter((each) => behaviour.unsupportedReason(each) === null);
    const forge = fits.some((each) => forgesTopId(behaviour, each)) ? 'top' : 'none';
    return { name, attack, aim, forge, summary, fits };
  }).filter(isListed);
  const ofNodes = DEFENCE_NAMES.map((name) => {
    const { code, needsLevel, summary } = DEFENCES[name];
    return { name, code, needsLevel, summary, ...fitsOf(name, only), limits: limitsOf(name, only) };
  });
  const ofNetwork = NETWORK_DEFENCE_NAMES.map((name) => {
    const { code, summary } = NETWORK_DEFENCES[name];
    return { name, code, needsLevel: null, summary, ...fitsOf(name, only), limits: [] };
  });
  const defences = [...ofNodes, ...ofNetwork].filter(isListed);
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

/** `forgedOnly` are the protocols of `fits` on which the defence has an effect only against forged identities. */
function fitsOf(name: AttackDefence, only: readonly ProtocolName[]) {
  return {
    fits: only.filter((each) => whenItFits(name, each) !== 'never'),
    forgedOnly: only.filter((each) => whenItFits(name, each) === 'forging'),
  };
}

/** The protocols on which a part of its effect is missing, by what is missing. */
function limitsOf(name: DefenceName, only: readonly ProtocolName[]) {
  const { limit, unsupportedReason } = DEFENCES[name];
  const fitting = only.filter((each) => unsupportedReason(each) === null);
  const groups = Map.groupBy(fitting, limit);
  return [...groups].flatMap(([text, protocols]) =>
    text === null ? [] : [{ protocols, limit: text }],
  );
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
