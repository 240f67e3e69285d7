/**
 * @module
 * Plays out a whole guide: its elections, and the frames that show each sentence while it is true.
 */

import type { RacePlan } from '../race/plan.ts';
import { framesOf } from './frames.ts';
import type { Frame, GuideElection, GuideName, Part } from './guide.ts';
import { momentsOf } from './moments.ts';
import type { PlayedElection } from './play-out.ts';
import { playOut } from './play-out.ts';
import type { FinishedRace } from './race-scenes.ts';
import { scenesOf } from './race-scenes.ts';
import { STORIES } from './stories/catalogue.ts';

/** A part of a guide that was played out. */
export type PlayedPart =
  | {
      readonly view: 'election';
      readonly election: GuideElection;
      readonly played: PlayedElection;
    }
  | { readonly view: 'race'; readonly plan: RacePlan; readonly offers: RacePlan | null };

/** A guide that was played out, as plain data. */
export interface PlayedGuide {
  readonly parts: readonly PlayedPart[];
  readonly frames: readonly Frame[];
}

/** Plays out a guide. `races` are those that its parts show, which are over. */
export function playGuide(name: GuideName, races: readonly FinishedRace[]): PlayedGuide {
  const story = STORIES[name];
  const parts = story.map(playedPart);
  const moments = parts.map((part) => {
    if (part.view === 'race') return { moments: scenesOf(races, part), isStop: () => true };
    const { events, nodes, stops } = part.played;
    const counts = new Set(stops.map((stop) => stop.events));
    return { moments: momentsOf(events, nodes), isStop: (at: number) => counts.has(at) };
  });
  return { parts, frames: framesOf(story, moments) };
}

function playedPart(part: Part): PlayedPart {
  if (part.view === 'race') return { view: 'race', plan: part.plan, offers: part.offers };
  const { election } = part;
  return { view: 'election', election, played: playOut(election) };
}
