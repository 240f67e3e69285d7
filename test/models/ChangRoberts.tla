---------------------------- MODULE ChangRoberts ----------------------------
(* The ring election of Chang and Roberts (1979), rule `join` of             *)
(* src/election/ring/chang-roberts.ts, with the bounds of chang-roberts.pml. *)
(* Links are FIFO. All nodes start, each at any moment. At most Loss         *)
(* messages are lost: the head of any link, at any moment.                   *)
EXTENDS Integers, Sequences

CONSTANTS Nodes,  \* number of nodes; the ranks are 1..Nodes
          Ring,   \* the ranks clockwise, a sequence
          Loss    \* messages that may be lost

Ranks == 1..Nodes
Positions == 1..Nodes
Next(position) == (position % Nodes) + 1

VARIABLES link,     \* by position: the messages on the way to that node
          leader,   \* by rank: the rank that the node follows; 0 for none
          started,  \* by rank: whether the node has started
          joined,   \* by rank: whether the node has sent its own PROBE
          probing,  \* by rank: joined, and it does not know the end of its candidacy
          losses    \* messages that may still be lost

vars == <<link, leader, started, joined, probing, losses>>

Probe(rank) == [type |-> "PROBE", rank |-> rank]
Selected(rank) == [type |-> "SELECTED", rank |-> rank]

Init ==
  /\ link = [position \in Positions |-> <<>>]
  /\ leader = [rank \in Ranks |-> 0]
  /\ started = [rank \in Ranks |-> FALSE]
  /\ joined = [rank \in Ranks |-> FALSE]
  /\ probing = [rank \in Ranks |-> FALSE]
  /\ losses = Loss

(* The links after the node at a position has taken the head of its link, if *)
(* `taken`, and has sent these messages.                                     *)
LinksAfter(position, taken, sends) ==
  LET rest == IF taken
              THEN [link EXCEPT ![position] = Tail(@)]
              ELSE link
  IN  [rest EXCEPT ![Next(position)] = @ \o sends]

Start(position) ==
  LET me == Ring[position] IN
  /\ ~started[me]
  /\ started' = [started EXCEPT ![me] = TRUE]
  /\ IF probing[me]
     THEN UNCHANGED <<link, joined, probing>>
     ELSE /\ joined' = [joined EXCEPT ![me] = TRUE]
          /\ probing' = [probing EXCEPT ![me] = TRUE]
          /\ link' = LinksAfter(position, FALSE, <<Probe(me)>>)
  /\ UNCHANGED <<leader, losses>>

OnProbe(position, rank) ==
  LET me == Ring[position]
      own == IF joined[me] THEN <<>> ELSE <<Probe(me)>>
      isProbing == probing[me] \/ ~joined[me]
      wins == rank = me /\ isProbing
      answer == IF rank > me THEN <<Probe(rank)>>
                ELSE IF wins THEN <<Selected(me)>>
                ELSE <<>>
  IN
  /\ joined' = [joined EXCEPT ![me] = TRUE]
  /\ probing' = [probing EXCEPT ![me] = isProbing /\ ~wins]
  /\ leader' = IF wins THEN [leader EXCEPT ![me] = me] ELSE leader
  /\ link' = LinksAfter(position, TRUE, own \o answer)
  /\ UNCHANGED <<started, losses>>

OnSelected(position, rank) ==
  LET me == Ring[position] IN
  IF rank = me
  THEN /\ link' = LinksAfter(position, TRUE, <<>>)
       /\ UNCHANGED <<leader, started, joined, probing, losses>>
  ELSE /\ leader' = [leader EXCEPT ![me] = rank]
       /\ probing' = [probing EXCEPT ![me] = @ /\ rank < me]
       /\ link' = LinksAfter(position, TRUE, <<Selected(rank)>>)
       /\ UNCHANGED <<started, joined, losses>>

Deliver(position) ==
  /\ link[position] # <<>>
  /\ LET message == Head(link[position]) IN
     IF message.type = "PROBE"
     THEN OnProbe(position, message.rank)
     ELSE OnSelected(position, message.rank)

Lose(position) ==
  /\ losses > 0
  /\ link[position] # <<>>
  /\ losses' = losses - 1
  /\ link' = [link EXCEPT ![position] = Tail(@)]
  /\ UNCHANGED <<leader, started, joined, probing>>

Step == \E position \in Positions :
          Start(position) \/ Deliver(position) \/ Lose(position)

Fairness == \A position \in Positions :
              WF_vars(Start(position)) /\ WF_vars(Deliver(position))

Spec == Init /\ [][Step]_vars /\ Fairness

----------------------------------------------------------------------------
(* always: two nodes never lead at the same time. *)
OneLeader ==
  \A one, other \in Ranks :
    leader[one] = one /\ leader[other] = other => one = other

(* eventually: all nodes follow one leader. Violated if Loss > 0. *)
LeaderElected == <>(\E rank \in Ranks : \A each \in Ranks : leader[each] = rank)
=============================================================================
