// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/// A pause with the names, events and messages of Circle's contracts.
abstract contract PausableByOperator is Ownable2Step {
    address public pauser;
    bool public paused;

    event Pause();
    event Unpause();
    event PauserChanged(address indexed newAddress);

    constructor(address pauser_) {
        _updatePauser(pauser_);
    }

    modifier whenNotPaused() {
        require(!paused, "Pausable: paused");
        _;
    }

    modifier onlyPauser() {
        require(msg.sender == pauser, "Pausable: caller is not the pauser");
        _;
    }

    function pause() external onlyPauser {
        paused = true;
        emit Pause();
    }

    function unpause() external onlyPauser {
        paused = false;
        emit Unpause();
    }

    function updatePauser(address newPauser) external onlyOwner {
        _updatePauser(newPauser);
    }

    function _updatePauser(address newPauser) private {
        require(newPauser != address(0), "Pausable: new pauser is the zero address");
        pauser = newPauser;
        emit PauserChanged(newPauser);
    }
}
