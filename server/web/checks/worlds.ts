/**
 * @module
 * Reads the worlds of a check by their addresses. A world never changes, so that those that were read are kept.
 */

import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { useAnswer } from '../shell/use-answer.ts';
import type { World } from './world.tsx';

export type CheckRequest = Schema<'CheckRequest'>;

const WORLDS_KEPT_MAX = 1_000;
const kept = new Map<string, World>();

/** The world at an address. Until it is read, the world before it is shown. */
export function useWorld(request: CheckRequest | null, address: readonly number[]) {
  const key = JSON.stringify([request, address]);
  return useAnswer(async () => (request === null ? null : readWorld(key, request, address)), key);
}

async function readWorld(
  key: string,
  request: CheckRequest,
  address: readonly number[],
): Promise<World> {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const body = { ...request, address: [...address] };
  const world = await answerOf(api.POST('/v1/checks/worlds', { body }));
  if (kept.size >= WORLDS_KEPT_MAX) kept.clear();
  kept.set(key, world);
  return world;
}
