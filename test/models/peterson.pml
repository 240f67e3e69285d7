/*
 * The ring election of Peterson (1982), which Dolev, Klawe and Rodeh found independently, by the rules of
 * src/election/ring/peterson.ts.
 *
 * Links are FIFO channels. RING lists the ranks 1..NODES clockwise. All nodes start, each at any moment; a message
 * of a new election starts a node, too. A node that starts after the end of an election begins the next one.
 *
 * assert: two nodes never lead at the same time. When nothing is possible, the leaders of ranks 1..NODES are printed.
 */

#define TID 1
#define ELECTED 2

#define ACTIVE 0
#define RELAY 1
#define LEADER 2

byte ring[NODES] = { RING };
/* The link to the node at each position: type, rank, number of the election. */
chan link[NODES] = [QUEUE] of { byte, byte, byte };
/* By rank. */
byte leader[NODES + 1];
byte leaders = 0;

#define NEXT link[(place + 1) % NODES]
#define SEND(type, rank, election) assert(nfull(NEXT)); NEXT!type, rank, election
#define HIGHER(left, right) (left > right -> left : right)

inline follow(whom) {
  d_step {
    if
    :: leader[me] == me && whom != me -> leaders--
    :: leader[me] != me && whom == me -> leaders++
    :: else
    fi;
    leader[me] = whom;
    assert(leaders < 2)
  }
}

inline begin(election) {
  number = election;
  role = ACTIVE;
  tid = me;
  nearer = 0;
  running = true;
  SEND(TID, me, number)
}

inline win() {
  role = LEADER;
  tid = rank;
  nearer = 0;
  running = false;
  follow(me);
  SEND(ELECTED, me, number)
}

inline onTid() {
  if
  :: role == LEADER
  :: role != LEADER && rank == me -> win()
  :: role == RELAY && rank != me -> SEND(TID, rank, number)
  :: role == ACTIVE && rank != me && nearer == 0 ->
     nearer = rank;
     SEND(TID, HIGHER(tid, rank), number)
  :: role == ACTIVE && rank != me && nearer != 0 ->
     if
     :: nearer >= HIGHER(tid, rank) ->
        tid = nearer;
        nearer = 0;
        SEND(TID, tid, number)
     :: else -> role = RELAY; nearer = 0; tid = 0
     fi
  fi
}

proctype Node(byte place) {
  byte me = ring[place];
  byte role = RELAY;
  byte number, tid, nearer, type, rank, election;
  bool started, running;
end:
  do
  :: atomic {
     !started ->
     started = true;
     if
     :: running
     :: else -> begin(number + 1)
     fi
     }
  :: atomic {
     link[place]?type, rank, election ->
     if
     :: type == TID ->
        if
        :: election > number -> begin(election)
        :: else
        fi;
        if
        :: election == number -> onTid()
        :: else
        fi
     :: type == ELECTED && rank != me && election >= number ->
        if
        :: election > number -> number = election; role = RELAY
        :: else
        fi;
        running = false;
        follow(rank);
        SEND(ELECTED, rank, election)
     :: else
     fi;
     type = 0;
     rank = 0;
     election = 0
     }
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
  byte position;
  atomic {
    for (position : 0 .. NODES - 1) { run Node(position) }
    run Last()
  }
}
