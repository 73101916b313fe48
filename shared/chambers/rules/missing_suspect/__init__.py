"""The rules of the missing-suspect game (1959): this module is its door (`chambers.rules.game.Game`)."""

from chambers.rules.missing_suspect.accept import accept
from chambers.rules.missing_suspect.automatic import automatic
from chambers.rules.missing_suspect.check import check
from chambers.rules.missing_suspect.deal import deal
from chambers.rules.missing_suspect.dealer import dealer_act, lying, stock, vouch_dealer
from chambers.rules.missing_suspect.due import due, may_say, result
from chambers.rules.missing_suspect.edition import Edition
from chambers.rules.missing_suspect.events import EVENTS
from chambers.rules.missing_suspect.evolve import evolve
from chambers.rules.missing_suspect.hand import Hand, held, learn, new_hand
from chambers.rules.missing_suspect.narrate import narrate
from chambers.rules.missing_suspect.options import OPTIONS
from chambers.rules.missing_suspect.play import Play
from chambers.rules.missing_suspect.prompts import fallback, prompt
from chambers.rules.missing_suspect.setup import CHAIN, NAME, RULES, check_setup, kinds, new_play, place_name, places
from chambers.rules.missing_suspect.statements import boxes, commitments, complete, offer, offered, openings, seals
from chambers.rules.missing_suspect.views import private_view, public_view
from chambers.rules.missing_suspect.vouch import vouch

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
