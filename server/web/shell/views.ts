/**
 * @module
 * The views of the lab, in the order of the navigation. The code of a view is loaded when it is first shown.
 */

import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { answerOf, api } from '../api/client.ts';
import { hasNoServer } from '../api/lab-thread.ts';
import { offersClass } from '../api/session.ts';
import type { Address } from './router.ts';

/** What every view receives: the parts of the address after its own name, and the values. */
export type ViewProps = Address;

export interface ViewDefinition {
  /** First part of the address; the start page has none. */
  readonly name: string;
  /** In the navigation and in the title of the window. */
  readonly title: string;
  /** The part of the documents at /docs that explains it. */
  readonly document: string;
  /** Whether it is in the navigation; by default it is. */
  readonly isOffered?: () => boolean;
  /** Whether it keeps files. */
  readonly needsServer?: true;
  readonly load: () => Promise<{ readonly View: ComponentType<ViewProps> }>;
}

const ALL: readonly ViewDefinition[] = [
  {
    name: '',
    document: 'browser-lab#start',
    title: 'Start',
    load: () => import('../start/start.tsx'),
  },
  {
    name: 'guide',
    document: 'browser-lab#show-me',
    title: 'Show me',
    isOffered: () => false,
    load: () => import('../guide/guide-view.tsx'),
  },
  {
    name: 'race',
    document: 'browser-lab#id-race',
    title: 'ID race',
    load: () => import('../race/race.tsx'),
  },
  {
    name: 'elections',
    document: 'protocols',
    title: 'Elections',
    load: () => import('../elections/elections.tsx'),
  },
  {
    name: 'clusters',
    document: 'live',
    title: 'Live nodes',
    isOffered: () => offersClusters.value,
    load: () => import('../clusters/clusters.tsx'),
  },
  {
    name: 'threat-models',
    document: 'threat-models',
    title: 'Threat models',
    load: () => import('../threat-models/threat-models.tsx'),
  },
  {
    name: 'sweeps',
    document: 'study',
    needsServer: true,
    title: 'Sweeps',
    load: () => import('../sweeps/sweeps.tsx'),
  },
  {
    name: 'checks',
    document: 'model-checking',
    title: 'Checker',
    load: () => import('../checks/checks.tsx'),
  },
  {
    name: 'matrices',
    document: 'defences',
    title: 'Matrices',
    load: () => import('../matrices/matrices.tsx'),
  },
  {
    name: 'design',
    document: 'cli/design',
    title: 'Design',
    load: () => import('../operations/operations.tsx'),
  },
  {
    name: 'operations',
    document: 'cli',
    title: 'Operations',
    load: () => import('../operations/operations.tsx'),
  },
  {
    name: 'exercises',
    document: 'exercises',
    needsServer: true,
    title: 'Exercises',
    load: () => import('../exercises/exercises.tsx'),
  },
  {
    name: 'jobs',
    document: 'http#jobs',
    title: 'Jobs',
    isOffered: () => !hasNoServer,
    load: () => import('../jobs/jobs.tsx'),
  },
];

/** The views of this lab. */
export const VIEWS = ALL.filter(({ needsServer }) => !(hasNoServer && needsServer === true));

/** The view of an address; null if there is none of this name. */
export function viewAt({ segments: [name = ''] }: Address): ViewDefinition | null {
  return VIEWS.find((view) => view.name === name) ?? null;
}

/** Whether this server runs clusters of live nodes for this caller. */
const offersClusters = signal(false);

/** Reads what is offered. A server that does not answer offers nothing. */
export async function readOffers(): Promise<void> {
  try {
    const { links } = await answerOf(api.GET('/v1'));
    offersClass.value = links['class'] !== undefined;
    if (links['clusters'] === undefined) return;
    const { role } = await answerOf(api.GET('/v1/sessions/current'));
    offersClusters.value = role === null || role === 'operator';
  } catch {
    // A caller who is not known yet signs in first.
    offersClusters.value = false;
  }
}
