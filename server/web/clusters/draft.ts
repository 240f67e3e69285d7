/**
 * @module
 * The content of the form that starts a cluster, as the address of the page has it, and the request and the command that it
 * stands for.
 */

import type { Schema } from '../api/contract.ts';

export const LEVELS = ['L0', 'L2', 'L3'] as const;

const DEFAULTS = { protocol: 'bully-oneshot', nodes: '3', level: 'L3', latency: '50ms', c1: '0' };

export type Draft = Readonly<typeof DEFAULTS>;

export function draftOf(query: Readonly<Record<string, string>>): Draft {
  const { protocol, nodes, level, latency, c1 } = { ...DEFAULTS, ...query };
  return { protocol, nodes, level, latency, c1 };
}

/** The server refuses what is wrong. */
export function requestOf({ nodes, c1, ...draft }: Draft): Schema<'ClusterRequest'> {
  const bits = c1 === DEFAULTS.c1 ? {} : { c1: numberOrText(c1) };
  // The server checks the names.
  return { ...draft, nodes: numberOrText(nodes), ...bits } as Schema<'ClusterRequest'>;
}

export function commandOf({ protocol, nodes, level, latency, c1 }: Draft): readonly string[] {
  const named = ['--protocol', protocol, '--nodes', nodes, '--latency', latency];
  const checked = level === DEFAULTS.level ? [] : ['--level', level];
  const earned = c1 === DEFAULTS.c1 ? [] : ['--c1', c1];
  return ['cluster', 'up', ...named, ...checked, ...earned];
}

function numberOrText(text: string): number | string {
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}
