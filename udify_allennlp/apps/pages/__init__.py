"""The HTML of all our pages: templates with one layout and one set of colours, light and dark."""
