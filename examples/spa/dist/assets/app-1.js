// The page looks at its own path, whatever it is: the server gives it out for all of them.
document.getElementById("path").textContent = location.pathname;

fetch("/api/notes")
  .then((response) => response.json())
  .then((notes) => {
    for (const note of notes) {
      const item = document.createElement("li");
      item.textContent = note.text;
      document.getElementById("notes").append(item);
    }
  });
