/*
 * The ring election of Chang and Roberts (1979) by the rules of src/election/ring/chang-roberts.ts.
 *
 * Links are FIFO channels. All nodes start, each at any moment. LOSS messages may be lost: the head of any link, at
 * any moment. RULE is 1 (join), 2 (replace) or 3 (always). RING lists the ranks 1..NODES clockwise.
 *
 * assert: two nodes never lead at the same time. When nothing is possible, the leaders of ranks 1..NODES are printed,
 * 0 being none.
 */

#define PROBE 1
#define SELECTED 2

byte ring[NODES] = { RING };
/* The link to the node at each position, from the position before it. */
chan link[NODES] = [QUEUE] of { byte, byte };
/* By rank. */
byte leader[NODES + 1];
bool started[NODES + 1];
/* join: it has sent its own PROBE. replace: it has sent a PROBE, its own or a higher one. */
bool marked[NODES + 1];
/* It has sent its own PROBE, and does not know the end of its candidacy. */
bool probing[NODES + 1];
byte losses = LOSS;

#define NEXT link[(at + 1) % NODES]
#define SEND(type, rank) assert(nfull(NEXT)); NEXT!type, rank

inline safe() {
  d_step {
    count = 0;
    for (each : 1 .. NODES) {
      if
      :: leader[each] == each -> count++
      :: else
      fi
    }
    each = 0;
    assert(count < 2);
    count = 0
  }
}

inline probe() {
  marked[me] = true;
  probing[me] = true;
  SEND(PROBE, me)
}

inline onProbe() {
  if
  :: RULE == 1 && !marked[me] -> probe()
  :: else
  fi;
  if
  :: rank > me -> marked[me] = true; SEND(PROBE, rank)
  :: rank < me && (RULE == 3 || (RULE == 2 && !marked[me])) -> probe()
  :: rank == me && probing[me] && (RULE != 3 || leader[me] != me) ->
     if
     :: RULE == 3
     :: else -> probing[me] = false
     fi;
     if
     :: RULE == 2 -> marked[me] = false
     :: else
     fi;
     leader[me] = me;
     safe();
     SEND(SELECTED, me)
  :: else
  fi
}

inline onSelected() {
  if
  :: rank == me
  :: else ->
     if
     :: RULE == 2 -> marked[me] = false
     :: else
     fi;
     if
     :: RULE != 3 && rank > me -> probing[me] = false
     :: else
     fi;
     leader[me] = rank;
     safe();
     SEND(SELECTED, rank)
  fi
}

proctype Node(byte at) {
  byte me = ring[at];
  byte type, rank, count, each;
end:
  do
  :: atomic {
       !started[me] ->
       started[me] = true;
       if
       :: RULE == 1 && probing[me]
       :: RULE == 2 && marked[me]
       :: else -> probe()
       fi
     }
  :: atomic {
       link[at]?type, rank ->
       if
       :: type == PROBE -> onProbe()
       :: type == SELECTED -> onSelected()
       fi;
       type = 0;
       rank = 0
     }
  od
}

proctype Loss(byte at) {
  byte type, rank;
end:
  do
  :: atomic { losses > 0 && nempty(link[at]) -> losses--; link[at]?type, rank; type = 0; rank = 0 }
  od
}

proctype Last() {
end:
  timeout -> c_code { report_last(now.leader); }
}

c_decl {
  static void report_last(unsigned char *leader) {
    static unsigned char seen[1 << (3 * NODES)];
    int code = 0;
    for (int rank = 1; rank <= NODES; rank++) code = code * 8 + leader[rank];
    if (seen[code]) return;
    seen[code] = 1;
    printf("last:");
    for (int rank = 1; rank <= NODES; rank++) printf(" %d", leader[rank]);
    printf("\n");
  }
}

init {
  byte at;
  atomic {
    for (at : 0 .. NODES - 1) {
      run Node(at);
      if
      :: LOSS > 0 -> run Loss(at)
      :: else
      fi
    }
    run Last()
  }
}
