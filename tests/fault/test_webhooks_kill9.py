"""kill -9 of the service again and again while webhooks are told of its work by a receiver that
takes one call in two: what was acknowledged arrives, in the order of each task, under ids that
stay; nothing arrives that nobody did."""

import os
import random

from load import fault_seed
from review_work import (SETTINGS, Reviews, Told, one_in_two, publish_counts,
                         submitted_work)
from webhook_receiver import Receiver
from world import World

ROUNDS = int(os.environ.get("ANNOLOG_FAULT_ROUNDS", "6"))
TASKS = 12


def test_everything_arrives_in_order_whatever_is_killed(make_service):
    seed = fault_seed()
    chance = random.Random(seed)
    print("seed", seed)
    service = make_service(SETTINGS).start()
    world = World(service)
    reviews = Reviews(world, submitted_work(world, TASKS))
    with Receiver(one_in_two(chance)) as receiver:
        told = Told(reviews, receiver)
        reviews.start()
        for _ in range(ROUNDS):
            reviews.go_on(chance.randrange(3, 20))
            service.kill9()
            service.start()
        reviews.finish()
        deliveries = told.prove(180)
        publish_counts(ROUNDS, deliveries, len(receiver.received))
    assert service.stop() == 0
