"""The rules of the witness-stand game (1987): this module is its door (`chambers.rules.game.Game`)."""

from chambers.rules.witness_stand.accept import accept
from chambers.rules.witness_stand.check import check
from chambers.rules.witness_stand.deal import deal
from chambers.rules.witness_stand.dealer import dealer_act, lying, stock, vouch_dealer
from chambers.rules.witness_stand.due import due, may_say, result
from chambers.rules.witness_stand.edition import Edition
from chambers.rules.witness_stand.events import EVENTS
from chambers.rules.witness_stand.evolve import evolve
from chambers.rules.witness_stand.hand import Hand, held, learn, new_hand
from chambers.rules.witness_stand.narrate import narrate
from chambers.rules.witness_stand.options import OPTIONS
from chambers.rules.witness_stand.play import Play
from chambers.rules.witness_stand.prompts import automatic, fallback, prompt
from chambers.rules.witness_stand.setup import CHAIN, NAME, RULES, check_setup, kinds, new_play, place_name, places
from chambers.rules.witness_stand.statements import boxes, commitments, complete, offer, offered, openings, seals
from chambers.rules.witness_stand.views import private_view, public_view
from chambers.rules.witness_stand.vouch import vouch

__all__ = [
    "CHAIN",
    "EVENTS",
    "NAME",
    "OPTIONS",
    "RULES",
    "Edition",
    "Hand",
    "Play",
    "accept",
    "automatic",
    "boxes",
    "check",
    "check_setup",
    "commitments",
    "complete",
    "deal",
    "dealer_act",
    "due",
    "evolve",
    "fallback",
    "held",
    "kinds",
    "learn",
    "lying",
    "may_say",
    "narrate",
    "new_hand",
    "new_play",
    "offer",
    "offered",
    "openings",
    "place_name",
    "places",
    "private_view",
    "prompt",
    "public_view",
    "result",
    "seals",
    "stock",
    "vouch",
    "vouch_dealer",
]
