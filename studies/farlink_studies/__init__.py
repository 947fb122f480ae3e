"""Published studies, reproduced: a folder per paper, found by `farlink study` (entry points `farlink.studies`)."""
