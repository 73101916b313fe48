"""The rulings of the missing-suspect game that prompts and refusals stand on, each with its rulebook section."""

from __future__ import annotations

from typing import Final

CITY_RULINGS: Final[dict[str, tuple[str, str]]] = {
    "MS-1": ("Start of Play", "Whoever ties for the highest throw throws again until one of them is the Dealer."),
    "MS-2": (
        "Moves on the Board",
        "You drive every dot of your throw; only a spot that you enter, or a tunnel, may end the move early.",
    ),
    "MS-3": (
        "Moves on the Board",
        "No line is driven twice in one turn; you may cross a dot again by another line, unless the table agreed "
        "otherwise.",
    ),
    "MS-4": ("Moves on the Board", "You may drive past other cars, but not stop on a dot where one of them rests."),
    "MS-5": (
        "Moves on the Board",
        "If your throw leads nowhere that is free, your car stays, and the turn is over without a card.",
    ),
    "MS-6": ("Moves on the Board", "Driving is no choice: if there is a place to drive to, you drive."),
    "MS-7": (
        "Moves on the Board",
        "S spots, Inquests, Offices, Tunnel Dots and the Courthouse hold many cars.",
    ),
    "MS-8": (
        "Moves on the Board",
        "A Tunnel Dot that you reach anywhere on your way lets you jump to another one, and the move ends there; one "
        "that you start from does not.",
    ),
    "MS-9": ("Moves on the Board", "Spots are no through roads: whoever enters one stays there for this turn."),
    "MS-10": ("Winner", "After the start the Courthouse is closed to everybody who brings no suspect."),
    "MS-11": ("Winner", "For the trial the throw must lead to the Courthouse exactly; otherwise you drive elsewhere."),
    "MS-14": (
        '"Question Witness" Cards',
        "The chart is read under the letter of your case, so without a case there is no throw and no result.",
    ),
    "MS-15": ("How to Draw Clue Cards", "On a red dot you may draw a card or leave it."),
    "MS-16": (
        "How to Draw Clue Cards",
        "Three clue cards are the limit; with a fourth, one of the four, the new one too, goes under the pile.",
    ),
    "MS-19": (
        "Questioning Witness at Inquest Spots",
        "You leave an Inquest with your next move and may not enter that one again in it; any other is open to you.",
    ),
    "MS-21": (
        "Picking Up a New Detective Case",
        "Every time you enter an Office you may change your case: you draw first, then the old one goes under the "
        "pile. Your clue cards stay with you.",
    ),
    "MS-23": (
        "Explanation of Question Witness Chart",
        "With Check Suspect you drive to any suspect that stands on the board, however far, and look under it.",
    ),
    "MS-24": (
        "Explanation of Question Witness Chart",
        "You turn to one player with a card laid face down, then name one clue. A player who holds it on either side "
        "of a card must give that card for yours; that he does not hold it, everybody hears.",
    ),
    "MS-25": (
        "Explanation of Question Witness Chart",
        "Without a clue card to give you only hear yes or no, unless the table agreed otherwise.",
    ),
    "MS-26": (
        "Explanation of Question Witness Chart",
        "You may trade one card of your choice for one of another player's choice; neither sees what he gets.",
    ),
    "MS-27": (
        "Explanation of Question Witness Chart",
        "A player knows a number if he has looked under the suspect or was told on a slip; that he could work it out "
        "does not count. A captured suspect cannot be asked about.",
    ),
    "MS-28": ("Explanation of Question Witness Chart", "A number that is passed on a slip is the true one."),
    "MS-30": (
        "Capturing a Suspect and Bringing Him to Trial",
        "You capture a suspect when three different clues of your case add up to its number; no other can be taken.",
    ),
    "MS-31": (
        "Capturing a Suspect and Bringing Him to Trial",
        "The first to capture a suspect has it; nobody takes it out of his car.",
    ),
    "MS-32": (
        "Capturing a Suspect and Bringing Him to Trial",
        "With a suspect in your car you may do whatever you may do without, but capture no second one.",
    ),
    "MS-33": (
        "Capturing a Suspect and Bringing Him to Trial",
        "If at the start of your turn your cards no longer add up to your suspect's number, you both go back to where "
        "it was captured, and the turn is over.",
    ),
    "MS-37": (
        "Picking Up a New Detective Case",
        "Cases are hidden to the end, unless the table plays with open ones.",
    ),
    "MS-38": ("Winner", "The proof at the trial is three different clues of the case and the suspect of their sum."),
    "MS-39": ("Winner", "The first to bring the right suspect to trial wins, and the game is over at once."),
    "MS-42": ("Moves on the Board", "A car leaves a spot along its lines, and the first dot counts one."),
    "MS-43": ("How to Draw Clue Cards", "Cards come from the top and go under the bottom; no pile is shuffled again."),
    "MS-44": (
        "How to Play",
        "For a player who is away the vault makes the safe choice; one whose vault is gone is out, and a suspect in "
        "that car goes back to where it was captured.",
    ),
    "MS-45": (
        "How to Play",
        "The Dealer places the seven tops on free S spots and plays first; every turn goes through the same steps.",
    ),
}
