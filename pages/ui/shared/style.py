"""The one stylesheet of the app: cards, pictures, and room on small screens."""

import streamlit as st

# currentColor follows Streamlit's light and dark text colour, so one rule serves both.
CSS = """
<style>
[data-testid="stElementContainer"]:has(.mf-style) { display: none; }
.block-container { padding-inline: clamp(1rem, 3vw, 5rem); }
.mf-lead { font-size: 1.05rem; line-height: 1.5; max-width: 46rem; opacity: .85;
  margin: -0.4rem 0 .4rem; }
.mf-facts { font-size: .85rem; opacity: .72; font-variant-numeric: tabular-nums; }
.mf-picture { display: grid; grid-template-columns: 1fr 1fr; gap: .6rem; aspect-ratio: 2 / 1;
  margin-bottom: .2rem; }
.mf-panel { position: relative; overflow: hidden; border-radius: .45rem; aspect-ratio: 1;
  background: color-mix(in srgb, currentColor 5%, transparent);
  display: flex; align-items: center; justify-content: center; }
.mf-panel img { width: 100%; height: 100%; object-fit: contain; display: block; }
.mf-dot { position: absolute; width: 15px; height: 15px; margin: -7.5px 0 0 -7.5px;
  border-radius: 50%; background: #fff; border: 4px solid #D55E00;
  box-shadow: 0 0 0 1.5px rgba(0,0,0,.55); }
.mf-reel { height: 100%; max-width: 100%; background-repeat: no-repeat;
  background-position: 0 0; }
.mf-move { animation-iteration-count: 1; }
@keyframes mf-reel { from { background-position: 0 0; } to { background-position: 0 100%; } }
[class*="st-key-card_"]:hover .mf-move, [class*="st-key-card_"]:focus-within .mf-move
  { animation-iteration-count: infinite; }
.mf-sheet { display: grid; gap: .5rem;
  grid-template-columns: repeat(auto-fill, minmax(4.4rem, 1fr)); }
.mf-sheet img { width: 100%; aspect-ratio: 1; object-fit: contain; border-radius: .3rem;
  background: color-mix(in srgb, currentColor 5%, transparent); }
.mf-strip, .mf-line > div { display: grid; gap: .5rem .6rem; }
.mf-strip { grid-template-columns: repeat(auto-fill, minmax(5.6rem, 7.6rem)); }
.mf-line { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); gap: .6rem;
  align-items: center; margin-bottom: .5rem; font-size: .85rem; }
.mf-line > span { font-weight: 600; overflow-wrap: anywhere; }
.mf-strip figure, .mf-line figure { margin: 0; }
.mf-strip img, .mf-line img { width: 100%; aspect-ratio: 1; object-fit: contain; display: block;
  border-radius: .3rem; background: color-mix(in srgb, currentColor 5%, transparent); }
.mf-strip .mf-marked img { outline: 2px solid #009E73; outline-offset: 1px; }
.mf-strip figcaption, .mf-line figcaption { margin-top: .2rem; font-size: .74rem; opacity: .8;
  text-align: center; line-height: 1.3; font-variant-numeric: tabular-nums; }
.mf-strip figcaption small { display: block; font-size: inherit; opacity: .85; }
.mf-ladder { list-style: none; display: grid; gap: 1.1rem; }
ol.mf-ladder, .mf-ladder li { margin: 0 !important; }
ol.mf-ladder { padding: 0 !important; }
.mf-ladder li { position: relative; display: grid; align-items: center; gap: .2rem 1rem;
  grid-template-columns: 12rem 8rem minmax(0, 1fr);
  border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-radius: .5rem; }
.mf-ladder li { padding: .6rem .9rem !important; }
.mf-ladder li:not(:last-child)::after { content: "↓"; position: absolute; left: 1.2rem;
  bottom: -1.25rem; opacity: .7; }
.mf-ladder .mf-facts { grid-column: 3; }
.mf-ladder .mf-data { grid-template-columns: auto minmax(0, 1fr); border-style: dashed; }
.mf-bars { display: flex; align-items: flex-end; gap: 3px; height: 2.2rem; grid-row: span 2; }
.mf-bars i { flex: 0 1 12px; background: #8A939A; border-radius: 2px 2px 0 0; }
.mf-bars .on { background: #0072B2; }
[class*="st-key-card_"] { position: relative; height: 100%;
  transition: transform .12s ease, box-shadow .12s ease; }
[class*="st-key-card_"] h3, [class*="st-key-row_"] h3 { padding: 0 0 .6rem !important; }
[class*="st-key-card_"]:hover { transform: translateY(-2px);
  box-shadow: 0 6px 22px color-mix(in srgb, currentColor 14%, transparent); }
[class*="st-key-card_"] > [data-testid="stElementContainer"]:last-child { margin-top: auto; }
/* The card's one button covers the whole card: a click anywhere opens the model. */
[class*="st-key-card_"] [data-testid="stButton"] button { position: static; transform: none; }
[class*="st-key-card_"] [data-testid="stButton"],
[class*="st-key-card_"] [data-testid="stElementContainer"]:has([data-testid="stButton"])
  { position: static; }
[class*="st-key-card_"] [data-testid="stButton"] button::after { content: ""; position: absolute;
  inset: 0; border-radius: .6rem; }
/* What draws itself comes after the page: its room is kept, as high as it is at least. */
.st-key-room_map { min-height: 52rem; }
.st-key-room_player { min-height: 38rem; }
.st-key-room_painter { min-height: 36rem; }
.st-key-room_views { min-height: 36rem; }
.st-key-room_layers { min-height: 36rem; }
.st-key-room_bend { min-height: 37.5rem; }
.st-key-room_prior { min-height: 26rem; }
/* Streamlit's own are too faint to read: captions, code in them, and the value above a slider. */
[data-testid="stCaptionContainer"] { color: inherit; opacity: .8; }
[data-testid="stCaptionContainer"] code, [data-testid="stSlider"] * { color: inherit; }
[data-testid="stTopNavLink"]:focus-visible, [data-testid="stTopNavSection"]:focus-visible,
[data-testid="stTopNavDropdownLink"]:focus-visible, [data-testid="stSidebarNavLink"]:focus-visible
  { outline: 2px solid currentColor; outline-offset: -2px; box-shadow: none; }
/* The chosen option is marked by its ground and border; its words keep the text's contrast. */
[data-testid="stButtonGroup"] button[aria-checked="true"] * { color: inherit; }
[data-testid="stButtonGroup"] button[aria-checked="true"] { color: inherit !important;
  font-weight: 600; }
@media (prefers-reduced-motion: reduce) {
  [class*="st-key-card_"], [class*="st-key-card_"]:hover { transition: none; transform: none; }
  .mf-reel, .mf-dot { animation: none !important; }
}
@media (max-width: 640px) {
  [data-testid="stMain"] h1 { font-size: 1.7rem; padding: .4rem 0 0; }
  .mf-more { display: none; }
  .mf-lead { font-size: 1rem; }
  /* The doors stand below, also while they are small because they are not there yet. */
  [data-testid="stElementContainer"]:has(.mf-facts) { flex-basis: 100%; }
  [data-testid="stButtonGroup"] button { padding-inline: .6rem; }
  .mf-line { grid-template-columns: minmax(0, 1fr); gap: .2rem; }
  .mf-line > div { grid-template-columns: repeat(3, minmax(0, 1fr)) !important; }
  .mf-ladder li { grid-template-columns: minmax(0, 1fr); }
  .mf-ladder .mf-facts { grid-column: 1; }
  .mf-strip { grid-template-columns: repeat(3, minmax(0, 1fr)); }
}
</style>
<i class="mf-style"></i>
"""


def page_style() -> None:
    """Put the stylesheet on the page; call it once per run, before the page."""
    st.html(CSS)
