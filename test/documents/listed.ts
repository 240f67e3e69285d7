/**
 * @module
 * What the command line lists as JSON, in the members that the documents show.
 */

import { parsed, usurp } from '../cli/shell.ts';

/** A number or a switch that a protocol or a detector takes. */
export interface ListedOption {
  readonly name: string;
  readonly meaning: string;
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  readonly default?: string | number;
}

export interface ListedProtocol {
  readonly name: string;
  readonly family: string;
  readonly elects: string;
  readonly fifo: boolean;
  readonly assumes: string;
  readonly messageBound: string;
  readonly source: string;
  readonly messageTypes: readonly string[];
  readonly flags: Readonly<Record<string, readonly string[]>>;
  readonly numbers: readonly ListedOption[];
  readonly attributes: string | null;
}

export interface ListedDetector {
  readonly name: string;
  readonly rule: string;
  readonly messageBound: string;
  readonly source: string | null;
  readonly options: readonly ListedOption[];
}

export interface ListedResource {
  readonly name: string;
  readonly rule: string;
  readonly options: readonly ListedOption[];
}

export interface ListedBehaviour {
  readonly name: string;
  readonly attack: string;
  readonly aim: string;
  readonly forge: string;
  readonly summary: string;
  readonly fits: readonly string[];
}

export interface ListedDefence {
  readonly name: string;
  readonly code: string;
  readonly needsLevel: string | null;
  readonly summary: string;
  readonly fits: readonly string[];
  readonly forgedOnly: readonly string[];
  readonly limits: readonly { readonly protocols: readonly string[]; readonly limit: string }[];
}

export interface ListedScenario {
  readonly name: string;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly nodes: { readonly usual: number; readonly min: number; readonly max: number };
  readonly explanation: string;
  readonly source: string;
}

export interface ListedStrategy {
  readonly name: string;
  readonly finds: string;
  readonly summary: string;
}

export interface ListedPolicy {
  readonly name: string;
  readonly summary: string;
  readonly weakness: {
    readonly flaw: string;
    readonly gain: string;
    readonly cost: string;
    readonly attempts: number;
    readonly refusedBy: string;
  } | null;
  readonly reference: string;
  readonly nominal: { readonly c1: number; readonly c2: number };
  readonly real: { readonly c1: number; readonly c2: number };
  /** Expected hash evaluations for one identity and for sixteen. */
  readonly hashes: { readonly one: number; readonly sixteen: number };
}

export interface ListedModel {
  readonly id: string;
  readonly title: string;
}

export async function listElections(): Promise<{
  readonly protocols: readonly ListedProtocol[];
  readonly detectors: readonly ListedDetector[];
  readonly resources: readonly ListedResource[];
}> {
  return parsed(await usurp(['elect', '--list', '--json']));
}

export async function listAttacks(): Promise<{
  readonly behaviours: readonly ListedBehaviour[];
  readonly defences: readonly ListedDefence[];
}> {
  return parsed(await usurp(['attack', '--list', '--json']));
}

export async function listMining(): Promise<{
  readonly strategies: readonly ListedStrategy[];
  readonly policies: readonly ListedPolicy[];
}> {
  return parsed(await usurp(['mine', '--list', '--json']));
}

export async function listScenarios(): Promise<readonly ListedScenario[]> {
  return parsed(await usurp(['elect', '--scenario', 'list', '--json'])).scenarios;
}

export async function listModels(): Promise<readonly ListedModel[]> {
  return parsed(await usurp(['run', '--list', '--json']));
}
