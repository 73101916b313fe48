"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const slider = document.getElementById("at");
  if (!slider) return;
  const list = document.getElementById("rows");
  const find = (id) => document.getElementById(id);
  let chosen = -1;

  function item(tag, text) {
    const made = document.createElement(tag);
    made.textContent = text;
    return made;
  }

  function show(seq, quiet) {
    const row = data.rows[Math.max(0, Math.min(data.rows.length - 1, seq))];
    if (!row || row[0] === chosen) return;
    const old = find("e" + chosen);
    if (old) old.removeAttribute("aria-current");
    chosen = row[0];
    slider.value = chosen;
    find("which").textContent = "entry " + chosen;
    const entry = find("e" + chosen);
    entry.setAttribute("aria-current", "true");
    const top = entry.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + entry.offsetHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = top - list.clientHeight / 2;
    find("now").textContent = entry.querySelector(".told").textContent;
    drawBoard(data.scenes[row[1]]);
    drawHands(data.hands[row[2]]);
    for (const cell of document.querySelectorAll("#ledger td[data-seq]"))
      cell.classList.toggle("known", Number(cell.dataset.seq) <= chosen);
    if (!quiet) history.replaceState(null, "", "#e" + chosen);
  }

  function drawBoard(scene) {
    const words = find("words");
    words.replaceChildren();
    for (const piece of document.querySelectorAll(".piece")) piece.setAttribute("hidden", "hidden");
    if (!scene) return;
    for (const [id, x, y] of scene.pieces) {
      const piece = find(id);
      if (!piece) continue;
      piece.removeAttribute("hidden");
      piece.setAttribute("transform", "translate(" + x + " " + y + ")");
    }
    for (const text of scene.words) words.append(item("li", text));
  }

  function drawHands(hands) {
    const place = find("hands");
    place.replaceChildren();
    if (!hands || hands.every((cards) => cards === null)) return;
    hands.forEach((cards, seat) => {
      const line = item("p", "");
      line.append(item("b", data.names[seat] + " holds: "));
      if (cards === null || !cards.length) line.append(cards === null ? "unknown" : "nothing");
      for (const card of cards || []) {
        const chip = item("span", data.cards[card][0]);
        chip.className = "chip";
        chip.title = data.cards[card][1];
        line.append(chip, " ");
      }
      place.append(line);
    });
  }

  function fromAddress() {
    const asked = /^#e(\d+)$/.exec(location.hash);
    return asked ? Number(asked[1]) : null;
  }

  slider.addEventListener("input", () => show(Number(slider.value)));
  find("back").addEventListener("click", () => show(chosen - 1));
  find("on").addEventListener("click", () => show(chosen + 1));
  list.addEventListener("click", (event) => {
    const entry = event.target.closest("#rows > li");
    if (entry && !event.target.closest("summary, a")) show(Number(entry.id.slice(1)));
  });
  addEventListener("hashchange", () => { const asked = fromAddress(); if (asked !== null) show(asked, true); });
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target === slider) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) { show(chosen + step); event.preventDefault(); }
  });
  const wrong = document.querySelector("#rows > li.wrong");
  const asked = fromAddress();
  show(asked !== null ? asked : wrong ? Number(wrong.id.slice(1)) : data.rows.length - 1, true);
})();
