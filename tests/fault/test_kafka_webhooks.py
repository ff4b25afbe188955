"""kill -9 of one node after another over a log in Kafka while webhooks are told of the work by a
receiver that takes one call in two: whoever takes the shards over goes on where the other one was.
What was acknowledged arrives, in the order of each task, under ids that stay; nothing arrives that
nobody did."""

import os
import random

from client import Api
from load import fault_seed
from review_work import (SETTINGS, Reviews, Told, one_in_two, publish_counts,
                         submitted_work)
from webhook_receiver import Receiver
from world import World

ROUNDS = int(os.environ.get("ANNOLOG_FAULT_ROUNDS", "3"))
TASKS = 12


def test_everything_arrives_in_order_whichever_node_is_killed(make_nodes, kafka):
    seed = fault_seed()
    chance = random.Random(seed)
    print("seed", seed)
    nodes = make_nodes(kafka.bootstrap, more=SETTINGS)
    world = World(nodes.all[0])
    reviews = Reviews(world, submitted_work(world, TASKS))
    with Receiver(one_in_two(chance)) as receiver:
        told = Told(reviews, receiver)
        reviews.start()
        for turn in range(ROUNDS):
            victim, other = (nodes.all[(turn + k) % len(nodes.all)] for k in range(2))
            reviews.go_on(chance.randrange(3, 20))
            with reviews.held():
                world.admin = Api(other, world.admin.token)
            victim.kill9()
            reviews.go_on(chance.randrange(3, 20))
            victim.start()
        reviews.finish()
        deliveries = told.prove(180)
        publish_counts(ROUNDS, deliveries, len(receiver.received))
    nodes.stop()
    nodes.verify_log()
