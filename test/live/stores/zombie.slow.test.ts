/**
 * @module
 * The zombie on ZooKeeper and etcd. They write to the disk for every answer, so that the leases are long.
 */

import { testZombies } from './zombies.ts';

testZombies(
  [
    ['zk-recipe', 'zookeeper'],
    ['lease-local', 'etcd'],
  ],
  100,
);
