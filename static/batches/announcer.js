// Sentences for screen readers. The region holds the newest one only: whatever is read again is no old news.

export function announce(sentence) {
  // A new element each time, so that the same sentence is read out again.
  const line = document.createElement("p");
  line.textContent = sentence;
  document.getElementById("announcements").replaceChildren(line);
}
