/*
 * The one-shot Bully election (after Garcia-Molina 1982) by the rules of src/election/bully/bully-oneshot.ts, with
 * its default flags.
 *
 * Links are FIFO channels. All nodes start before everything else. CRASH nodes crash, at any moment after that, and
 * stay down. A detector that never errs reports a crash to each live node. TIMED is 1 for synchronous timing: timers
 * fire, and reports come (all reports of a crash together), only when nothing is in flight. The timer that announces
 * is set to 0 ticks, the others to more. So it fires before them, and before reports. With 0 they come at any moment.
 * TIMERS is the number of timers that fire; 255 is no bound.
 *
 * assert: two live nodes never lead at the same time. When nothing is possible, the leaders of ranks 1..NODES are
 * printed, 0 being none, and - for a node that is down.
 */

#define ELECTION 1
#define OK 2
#define COORDINATOR 3

#define IDLE 0
#define AWAIT_OK 1
#define AWAIT_COORDINATOR 2

#define SIZE (NODES + 1)
#define LINK(from, to) link[(from) * SIZE + (to)]

/* A COORDINATOR names its sender. */
chan link[SIZE * SIZE] = [QUEUE] of { byte };
byte phase[SIZE];
byte leader[SIZE];
bool down[SIZE];
/* Timers. */
bool answer[SIZE];
bool announcing[SIZE];
bool coordinator[SIZE];
/* Whether the crash of a node was reported to another one. */
bool reported[SIZE * SIZE];
byte inFlight = 0;
/* Timers that announce, of live nodes. */
byte announcements = 0;
byte crashes = CRASH;
byte timers = TIMERS;
/* All nodes have started. */
bool begun = false;
/* Scratch, always 0 between steps. */
byte other, kind, count;

#define QUIET (inFlight == 0 && (announcements == 0 || timers == 0))
#define MAY_ANNOUNCE(me) (begun && !down[me] && timers > 0 && (!TIMED || inFlight == 0))
#define MAY_FIRE(me) (MAY_ANNOUNCE(me) && (!TIMED || QUIET))

inline send(sender, target, type) {
  assert(nfull(LINK(sender, target)));
  LINK(sender, target)!type;
  inFlight++
}

inline safe() {
  count = 0;
  for (other : 1 .. NODES) {
    if
    :: !down[other] && leader[other] == other -> count++
    :: else
    fi
  }
  other = 0;
  assert(count < 2);
  count = 0
}

inline announce(winner) {
  phase[winner] = IDLE;
  leader[winner] = winner;
  safe();
  for (other : 1 .. NODES) {
    if
    :: other < winner -> send(winner, other, COORDINATOR)
    :: else
    fi
  }
  other = 0
}

inline begin(caller) {
  if
  :: phase[caller] != IDLE
  :: phase[caller] == IDLE && caller == NODES -> announce(caller)
  :: else ->
     for (other : 1 .. NODES) {
       if
       :: other > caller -> send(caller, other, ELECTION)
       :: else
       fi
     }
     other = 0;
     phase[caller] = AWAIT_OK;
     answer[caller] = true
  fi
}

inline receive(member, origin) {
  if
  :: kind == ELECTION && origin < member ->
     send(member, origin, OK);
     if
     :: member == NODES && announcing[member] -> skip
     :: member == NODES && !announcing[member] -> announcing[member] = true; announcements++
     :: else -> begin(member)
     fi
  :: kind == OK && origin > member && phase[member] == AWAIT_OK ->
     answer[member] = false;
     if
     :: leader[member] == member -> leader[member] = 0
     :: else
     fi;
     phase[member] = AWAIT_COORDINATOR;
     coordinator[member] = true
  :: kind == COORDINATOR && origin < member -> begin(member)
  :: kind == COORDINATOR && origin > member ->
     answer[member] = false;
     coordinator[member] = false;
     phase[member] = IDLE;
     leader[member] = origin;
     safe()
  :: else
  fi
}

inline fire(set) {
  set = false;
  if
  :: TIMERS < 255 -> timers--
  :: else
  fi
}

inline suspect(watcher, dead) {
  reported[watcher * SIZE + dead] = true;
  if
  :: leader[watcher] == dead -> begin(watcher)
  :: else
  fi
}

proctype Node(byte me) {
end:
  do
  :: atomic { MAY_FIRE(me) && answer[me] -> fire(answer[me]); announce(me) }
  :: atomic {
       MAY_ANNOUNCE(me) && announcing[me] ->
       fire(announcing[me]);
       announcements--;
       if
       :: phase[me] == IDLE -> announce(me)
       :: else
       fi
     }
  :: atomic {
       MAY_FIRE(me) && coordinator[me] ->
       fire(coordinator[me]);
       if
       :: phase[me] == AWAIT_COORDINATOR -> phase[me] = IDLE; begin(me)
       :: else
       fi
     }
  :: atomic {
       begun && crashes > 0 && !down[me] ->
       crashes--;
       down[me] = true;
       phase[me] = IDLE;
       leader[me] = 0;
       answer[me] = false;
       if
       :: announcing[me] -> announcements--
       :: else
       fi;
       announcing[me] = false;
       coordinator[me] = false
     }
  od
}

proctype Link(byte from; byte to) {
end:
  do
  :: atomic {
       begun && nempty(LINK(from, to)) ->
       LINK(from, to)?kind;
       inFlight--;
       if
       :: down[to]
       :: else -> receive(to, from)
       fi;
       kind = 0
     }
  od
}

/* Reports to one node, at any moment. */
proctype Reports(byte me; byte about) {
end:
  do
  :: atomic { !TIMED && down[about] && !down[me] && !reported[me * SIZE + about] -> suspect(me, about) }
  od
}

/* Reports to all nodes together, when nothing is in flight. */
proctype TimedReports(byte about) {
  byte me;
end:
  do
  :: atomic {
       TIMED && QUIET && down[about] && !reported[about * SIZE + about] ->
       reported[about * SIZE + about] = true;
       for (me : 1 .. NODES) {
         if
         :: !down[me] -> suspect(me, about)
         :: else
         fi
       }
       me = 0
     }
  od
}

proctype Last() {
end:
  timeout -> c_code { report_last(now.leader, now.down); }
}

c_decl {
  static void report_last(unsigned char *leader, unsigned char *down) {
    static unsigned char seen[1 << (3 * NODES)];
    int code = 0;
    for (int rank = 1; rank <= NODES; rank++) code = code * 8 + (down[rank] ? 7 : leader[rank]);
    if (seen[code]) return;
    seen[code] = 1;
    printf("last:");
    for (int rank = 1; rank <= NODES; rank++) {
      if (down[rank]) printf(" -");
      else printf(" %d", leader[rank]);
    }
    printf("\n");
  }
}

init {
  byte me, to;
  atomic {
    for (me : 1 .. NODES) { begin(me) }
    for (me : 1 .. NODES) {
      run Node(me);
      for (to : 1 .. NODES) {
        if
        :: to != me -> run Link(me, to)
        :: else
        fi;
        if
        :: to != me && CRASH > 0 && !TIMED -> run Reports(me, to)
        :: else
        fi
      }
      if
      :: CRASH > 0 && TIMED -> run TimedReports(me)
      :: else
      fi
    }
    run Last();
    me = 0;
    to = 0;
    begun = true
  }
}
