/**
 * @module
 * The topologies: links, degrees and diameters that are known, drawn networks that are connected and the same for the same
 * seed, and texts that are refused.
 */

import { describe, expect, it } from 'vitest';

import {
  linkedGraph,
  nodesOf,
  parseTopology,
  TOPOLOGIES,
} from '../../../src/election/topology/registry.ts';
import type { Graph } from '../../../src/election/topology/topology.ts';
import { diameterOf, graphOf, isConnected } from '../../../src/election/topology/topology.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { connectedGraphs, diameterIn } from './graphs.ts';

function graph(text: string, nodes: number, seed = '1'): Graph {
  return graphOf(parseTopology(text), nodes, createRandom(parseSeed(seed), 'topology'));
}

function linksIn(found: Graph): number {
  return found.flat().length / 2;
}

describe('topologies', () => {
  it.each([
    ['ring', 1, 0, 0],
    ['ring', 2, 1, 1],
    ['ring', 9, 9, 4],
    ['complete', 7, 21, 1],
    ['mesh:3x4', 12, 17, 5],
    ['mesh:2x2x2', 8, 12, 3],
    ['torus:4x4', 16, 32, 4],
    ['torus:2x3', 6, 9, 2],
    ['torus:5', 5, 5, 2],
    ['hypercube', 16, 32, 4],
    ['hypercube', 1, 0, 0],
    ['tree:1', 6, 5, 5],
    ['tree:2', 7, 6, 4],
    ['random-regular:2', 9, 9, 4],
    ['erdos-renyi:100%', 6, 15, 1],
    ['erdos-renyi:1', 6, 15, 1],
  ])('%s of %i nodes has %i links and the diameter %i', (text, nodes, links, diameter) => {
    const found = graph(text, nodes);

    expect([linksIn(found), diameterOf(found)]).toEqual([links, diameter]);
  });

  it.each(TOPOLOGIES)('$name has the example of its definition, with links both ways', (each) => {
    const found = graph(each.example.text, each.example.nodes);

    expect(isConnected(found)).toBe(true);
    found.forEach((neighbours, from) => {
      for (const to of neighbours) expect(found[to]).toContain(from);
      expect(neighbours).not.toContain(from);
    });
  });

  it.each([3, 4, 7])('draws connected networks in which each node has %i links', (degree) => {
    for (let seed = 0; seed < 20; seed += 1) {
      const found = graph(`random-regular:${degree}`, 20, String(seed));

      expect(found.every(({ length }) => length === degree)).toBe(true);
      expect(isConnected(found)).toBe(true);
    }
  });

  it('draws the same network for the same seed, and another for another', () => {
    expect(graph('erdos-renyi:30%', 20)).toEqual(graph('erdos-renyi:30%', 20));
    expect(graph('erdos-renyi:30%', 20)).not.toEqual(graph('erdos-renyi:30%', 20, '2'));
  });

  it('draws about as many links as the share states', () => {
    const links = Array.from({ length: 50 }, (_, seed) =>
      linksIn(graph('erdos-renyi:50%', 20, String(seed))),
    );
    const mean = links.reduce((sum, each) => sum + each, 0) / links.length;

    // 190 pairs, half of them linked: 95, with a standard error of sqrt(190 / 4 / 50) = 1.
    expect(mean).toBeGreaterThan(91);
    expect(mean).toBeLessThan(99);
  });

  it.each([1, 2, 3, 4, 5, 6])('has the diameters of all connected graphs of %i nodes', (nodes) => {
    for (const small of connectedGraphs(nodes)) {
      const found: number[][] = Array.from({ length: nodes }, () => []);
      for (const [one, other] of small.edges) {
        found[one]?.push(other);
        found[other]?.push(one);
      }

      expect(diameterOf(found)).toBe(diameterIn(small));
    }
  });

  it('finds that nodes which are down separate the others', () => {
    const line = graph('tree:1', 4);

    expect(isConnected(line, [true, false, false, false])).toBe(true);
    expect(isConnected(line, [false, true, false, false])).toBe(false);
  });

  it.each([
    ['star', /must be one of ring, complete/],
    ['ring:3', /must be one of/],
    ['torus', /must be one of/],
    ['torus:4x', /must be one of/],
    ['torus:0x4', /must be one of/],
    ['tree:0', /must be one of/],
    ['erdos-renyi:0%', /must be one of/],
    ['erdos-renyi:101%', /must be one of/],
    ['erdos-renyi:1.5', /must be one of/],
  ])('refuses the text %s', (text, message) => {
    expect(() => parseTopology(text)).toThrow(message);
  });

  it.each([
    ['torus:4x4', 15, /topology torus: 4x4 has 16 nodes, got 15/],
    ['hypercube', 6, /topology hypercube: must have 2, 4, 8, … nodes, got 6/],
    ['random-regular:3', 5, /even, got 3 of 5 nodes/],
    ['random-regular:5', 5, /fewer than the nodes/],
    ['random-regular:1', 4, /none of \d+ drawn networks of 4 nodes is connected/],
    ['erdos-renyi:0.1%', 50, /none of \d+ drawn networks of 50 nodes is connected/],
    ['complete', 500, /at most 100000 links/],
    ['ring', 4097, /at most 4096 nodes, got 4097/],
  ])('refuses %s of %i nodes', (text, nodes, message) => {
    expect(() => graph(text, nodes)).toThrow(message);
  });

  it.each([
    ['mesh:3x4', 12],
    ['torus:2x2x3', 12],
    ['hypercube', undefined],
    [undefined, undefined],
  ])('%s states %s nodes', (text, nodes) => {
    expect(nodesOf(text)).toBe(nodes);
  });

  it('refuses a complete network that is stated and has more than 100000 links', () => {
    const linked = { crashedBefore: [], absent: [], topology: 'complete' };
    const random = createRandom(parseSeed('1'), 'topology');
    const ringOf = (nodes: number) => Array.from({ length: nodes }, (_, index) => index + 1);
    const protocol = { name: 'floodmax', overLinks: true };
    const graphOfSize = (nodes: number) =>
      linkedGraph({ ...linked, ring: ringOf(nodes), protocol }, random);

    // 447 nodes have 99 681 pairs, and 448 have 100 128.
    expect(graphOfSize(447)).toBeNull();
    expect(() => graphOfSize(448)).toThrow('topology complete: at most 100000 links');
  });

  it('needs a protocol whose nodes send to neighbours alone', () => {
    const linked = { ring: [1, 2, 3], crashedBefore: [], absent: [], topology: 'ring' };
    const random = createRandom(parseSeed('1'), 'topology');
    const protocol = { name: 'raft', overLinks: false };

    expect(() => linkedGraph({ ...linked, protocol }, random)).toThrow(
      /topology ring: nodes of raft send messages to any node, which needs complete/,
    );
    expect(linkedGraph({ ...linked, topology: 'complete', protocol }, random)).toBeNull();
  });
});
