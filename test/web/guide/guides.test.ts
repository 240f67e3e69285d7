/**
 * @module
 * What the guides say: every sentence is compared with the events and the IDs at each moment at which it is shown.
 */

import { describe, expect, it } from 'vitest';

import { spansOf } from '../../../server/web/guide/frames.ts';
import { GUIDES, msOf } from '../../../server/web/guide/guide.ts';
import { STORIES } from '../../../server/web/guide/stories/catalogue.ts';
import { played } from './guides.ts';

describe.each(GUIDES)('the guide “$title”', (guide) => {
  const { parts, frames, moments } = played(guide);
  const story = STORIES[guide.name];
  const sentences = story.flatMap(({ steps }) => steps.map(({ text }) => text));

  it('has sentences of at most 15 words', () => {
    const long = sentences.filter((text) => text.split(/\s+/).length > 15);

    expect(long).toEqual([]);
  });

  it('shows every sentence, in order', () => {
    const shown = frames.filter(({ step }, index) => step !== frames[index - 1]?.step);

    expect(shown.map(({ text }) => text)).toEqual(sentences);
  });

  it('shows a sentence only while it is true', () => {
    const wrong = story.flatMap((part, number) =>
      spansOf(part, moments[number] ?? []).flatMap(([first, last], index) => {
        const { text, when } = part.steps[index] ?? { text: '', when: () => false };
        // The moments of a part are those of its view.
        const holds = when as (moment: unknown) => boolean;
        const shown = [...(moments[number] ?? []).entries()].slice(first, last + 1);
        return shown.filter(([, moment]) => !holds(moment)).map(([at]) => `${at}: ${text}`);
      }),
    );

    expect(wrong).toEqual([]);
  });

  it('has no sentence that is true at every moment of its guide', () => {
    const all = parts.flatMap(({ view }, number) =>
      (moments[number] ?? []).map((moment) => ({ view, moment })),
    );
    const always = story.flatMap(({ view, steps }) =>
      steps.filter(({ when }) =>
        all.every((each) => each.view !== view || (when as (of: unknown) => boolean)(each.moment)),
      ),
    );

    expect(always.map(({ text }) => text)).toEqual([]);
  });

  it('names only nodes that are in the picture', () => {
    const ranks = parts.flatMap((part) =>
      part.view === 'election' ? part.played.nodes.ranks : [],
    );
    const named = sentences.join(' ').matchAll(/[Nn]odes? (\d)/g);

    for (const [text, rank] of named)
      expect(Number(rank), text).toBeLessThanOrEqual(Math.max(...ranks));
  });

  it('takes about as long as a minute allows', () => {
    const ms = frames.reduce((sum, _, index) => sum + msOf(frames, index), 0);

    expect(ms).toBeLessThanOrEqual(75_000);
    if (guide.name === 'first-election') expect(ms).toBeGreaterThanOrEqual(50_000);
  });
});
